// What a schema cannot say: where valid values come from, and which rules a value may break though
// its schema accepts it. Everything comes from a running daemon.
import {plain} from './values.mjs';

const DAY_S = 86400;

/** Rules between several values, or about what the daemon has at the moment. A request that keeps
 * to its schema may be refused for one of these there; all else counts as a finding. `isUsual`: so
 * may one that the schema made and nobody changed. With a pointer and a text, both have to fit. */
export const rules = [
  {
    at: /positions|shots|simulations|maps|calls|library/,
    pointer: /^\/state(\/|$)/,
    why: 'the state has to be one of a game',
  },
  {
    at: /positions|shots|simulations|maps|calls|library/,
    pointer: /^\/state\/native$/,
    isUsual: true,
    why: 'only Digital Curling 2 has a native state',
  },
  {
    at: /positions|shots|simulations|maps|calls|library/,
    pointer: /^\/stones/,
    why: 'stones lie on the sheet, apart',
  },
  {
    at: /positions|shots|simulations|maps|calls|library/,
    pointer: /^\/setting/,
    why: 'the setting has to agree with the scores',
  },
  {
    at: /simulations/,
    pointer: /^\/(shot|trajectory|noise|seed)/,
    isUsual: true,
    why: 'a profile has its own shots, also with noise, and samples are needed',
  },
  {at: /shots|maps|calls/, pointer: /^\/noise\//, why: 'a profile has its own noise'},
  {
    at: /shots|maps|calls/,
    pointer: /^\/(hands|cmd|next_team|game|player_order)(\/|$)/,
    isUsual: true,
    why: 'hands are those of the throwers of a profile, an update agrees with itself',
  },
  {
    at: /shots/,
    pointer: /^\/history(\/|$)/,
    isUsual: true,
    why: 'throws are those of a game, with the shots of its profile',
  },
  {
    at: /maps|calls/,
    pointer: /^\/player$/,
    isUsual: true,
    why: 'shots are valued by the judge of the player rink',
  },
  {
    at: /calls/,
    pointer: /^\/calls\/\d+\/(shot|aim)/,
    isUsual: true,
    why: 'a profile has its own shots, and an aim is one that a shot can reach',
  },
  {
    at: /skills/,
    pointer: /^\/shots(\/\d+\/(called|thrown|rest|kind))?/,
    isUsual: true,
    why: 'a profile has its own shots, and a throw is the called shot with an error of a hand',
  },
  {
    at: /shots|jobs|players/,
    pointer: /player|\/a$|\/b$|opponents|responders|\/spec$/,
    why: 'the player has to exist',
  },
  {at: /players/, pointer: /^\/name$/, isUsual: true, why: 'a name would hide something else'},
  {at: /repeat/, pointer: /^\/spec/, isUsual: true, why: 'the spec is one of the kind of the job'},
  {
    at: /jobs/,
    pointer: /^\/cores$/,
    isUsual: true,
    why: 'a limit of cores is for work that is shared, and leaves a task its threads',
  },
  {
    at: /jobs/,
    pointer: /^\/spec\/profile$/,
    code: 'value',
    isUsual: true,
    why: 'a protocol has its own profiles',
  },
  {at: /jobs.*game/, status: 404, why: 'no shot is kept yet'},
  {at: /jobs/, pointer: /^\/after\//, isUsual: true, why: 'a job to wait for has to exist'},
  {at: /jobs/, pointer: /^\/all$/, isUsual: true, why: 'all, or a condition'},
  {
    at: /jobs/,
    pointer: /^\/spec\//,
    text: /[0-9a-f]{64}/,
    code: 'value',
    isUsual: true,
    why: '64 hexadecimal digits in a spec are the hash of weights that are here',
  },
  {
    at: /jobs/,
    pointer: /^\/spec$/,
    code: 'missing',
    isUsual: true,
    why: 'a review needs a game or a record',
  },
  {
    at: /jobs/,
    pointer: /^\/spec\/noise\//,
    code: 'not_applicable',
    isUsual: true,
    why: 'a profile has its own noise',
  },
  {at: /jobs/, pointer: /^\/spec\/sprt\/elo1/, why: 'elo1 is more than elo0'},
  {at: /jobs/, pointer: /^\/spec\/from/, why: 'the checkpoint has to exist'},
  {
    at: /jobs|games/,
    pointer: /^\/spec\/(log|record|game|judge|program|against|server|credentials)(\/|$)/,
    code: 'value',
    isUsual: true,
    why: 'what the worker of a job reads has to be there, and to be what it can read',
  },
  {
    at: /jobs/,
    pointer: /^\/spec\/(user|credentials)$/,
    isUsual: true,
    why: 'a server of Digital Curling 4 needs both',
  },
  {
    at: /jobs/,
    pointer: /^\/spec\/train_opponents/,
    code: 'size',
    why: 'needed unless self_share is 1',
  },
  {at: /jobs/, pointer: /^\/spec\/hyper/, why: 'a batch has to fit into its memory'},
  {
    at: /metrics\/query/,
    pointer: /^\/max_points/,
    why: 'max_points times runs times names is limited',
  },
  {
    at: /blobs/,
    pointer: /^$/,
    code: 'hash',
    isUsual: true,
    why: 'the bytes of a blob have the hash in its address',
  },
  {at: /nodes/, pointer: /^\/kinds\//, isUsual: true, why: 'a kind of jobs has to exist'},
  {at: /webhooks/, pointer: /^\/url$/, why: 'a port is one of 65535, an address is a public one'},
  {at: /library/, pointer: /^\/best(\/|$)/, isUsual: true, why: 'a profile has its own shots'},
  {at: /webhooks/, status: 409, why: 'there are 32 webhooks at most'},
  {
    at: /metrics\/query/,
    status: 404,
    isUsual: true,
    why: 'the runs and the curves have to exist',
  },
  {at: /./, pointer: /./, code: 'size', why: 'the length of a text counts bytes of UTF-8'},
  {
    at: /./,
    text: /\\u0000|%[01][0-9A-F]|%7F/,
    why: 'no text has U+0000, no target has control characters',
  },
  {at: /./, text: /[ :[,]-?\d{19,}[,}\]]/, why: 'a number without point and exponent has 64 bits'},
  {at: /./, parameter: 'cursor', why: 'a cursor is one that a page gave'},
  {at: /./, parameter: 'fields', why: 'some item has the member'},
];

/** A file of weights, for games lines of a log, or bytes that are neither. */
export function file(dice, {path}) {
  const bytes = path === '/v1/games' ? linesOf(dice) : weightsOf(dice);
  const isValid = dice.chance(0.5);
  if (!isValid) bytes[dice.below(20)] ^= 1 + dice.below(255);
  return {bytes, isValid: isValid || undefined};
}
const linesOf = dice => Buffer.from(`{"shot":${dice.below(256)}}\nno line of a log\n{"shot":1}\n`);
function weightsOf(dice) {
  const header = Buffer.from('{"w":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}}');
  const size = Buffer.alloc(8);
  size.writeBigUInt64LE(BigInt(header.length));
  return Buffer.concat([size, header, Buffer.alloc(4, dice.below(256))]);
}

export class Known {
  constructor(daemon, dice) {
    Object.assign(this, {daemon, dice, states: [], lists: new Map()});
  }

  async prepare() {
    this.profiles = (await this.daemon.get('/v1/profiles')).items;
    const names = (await this.daemon.get('/v1/players')).items.map(player => player.name);
    this.players = names.filter(name => /^(ai-simple|random|generator|rink)$/.test(name));
    await this.daemon.work('diagnose', {seconds: 1});
    for (const {name} of this.profiles) await this.#throwStones(name);
    await this.restock();
  }

  /** Something in each list, after deletions. */
  async restock() {
    await this.daemon.work('match', {a: 'ai-simple', b: 'random', pairs: 1, ends: 1, seed: 1});
    if ((await this.daemon.get('/v1/runs')).items.length === 0)
      await this.daemon.work('diagnose', {seconds: 1});
    await this.daemon.post('/v1/players', {name: 'mine', spec: 'rink:simulations=50'});
    await this.look();
  }

  /** What is there now. */
  async look() {
    this.runs = (await this.daemon.get('/v1/runs')).items.map(run => run.id);
    this.lists.clear();
  }

  /** Positions come from the daemon's own answers: the state after one throw begins the next. */
  async #throwStones(profile) {
    const none = Array(8).fill(null);
    let state = {end: 0, shot: 0, hammer: 'team1', scores: {team0: [], team1: []}};
    state.stones = {team0: none, team1: none};
    for (let k = 0; k < 6; k++) {
      const shot = {velocity: {x: 0.13, y: 2.3 + 0.1 * this.dice.next()}, rotation: 'cw'};
      const answer = await this.daemon.post('/v1/simulations', {profile, state, shot});
      if (!answer.state) break;
      this.states.push({profile, state});
      state = answer.state;
    }
  }

  hints = (key, schema, dice) => {
    if (schema?.format === 'player') return dice.one(this.players);
    if (schema?.format === 'poker-player') return dice.one(schema.examples);
    if (key === 'x' || key === 'y') return undefined;
    if (key === 'thinking_time_remaining') return {team0: 1, team1: 1};
    return undefined;
  };

  /** Makes a body that a schema built into one that has a meaning, too. */
  finish(body) {
    if (!body || typeof body !== 'object') return;
    const has = (...names) => names.every(name => name in body);
    if (has('state', 'profile')) this.#putPosition(body);
    if (has('stones', 'profile'))
      body.stones = structuredClone(this.dice.one(this.states).state.stones);
    if (has('noise')) this.#putNoise(body);
    if (has('state')) this.#putShots(body, has);
    if (has('runs')) body.runs = [this.dice.one(this.runs)];
    if (has('spec') && typeof body.spec === 'object') this.#putSpec(body);
  }
  #putPosition(body) {
    const {profile, state} = structuredClone(this.dice.one(this.states));
    Object.assign(body, {profile, state});
    delete body.setting;
  }
  #putNoise(body) {
    const known =
      this.profiles.find(profile => profile.name === body.profile)?.noise.settings ?? [];
    for (const name of Object.keys(body.noise))
      if (!known.some(setting => setting.name === name)) delete body.noise[name];
  }
  #putShots(body, has) {
    const shot = {velocity: {x: 0.1, y: 2.4}, rotation: 'ccw'};
    if (has('best')) body.best = shot;
    if (!has('shot')) return;
    body.shot = shot;
    body.samples = Math.min(plain(body.samples ?? 2), 3);
    body.trajectory = Math.max(plain(body.trajectory ?? 1), 0.5);
  }
  #putSpec(body) {
    const {sprt} = body.spec;
    if (sprt) body.spec.sprt = {elo0: -5, elo1: 5};
    delete body.spec.from;
    if (body.spec.hyper) body.spec.hyper = {};
  }

  #cheapenQuestion({path}, body) {
    body.timeout_ms ??= 300;
    const isShort = plain(body.timeout_ms) <= 1000;
    if (path === '/v1/shots' && !isShort) body.limits = {simulations: 100};
  }

  /** Keeps a body from costing minutes; the change under test stays. */
  cheapen(operation, body) {
    if (!body || typeof body !== 'object' || Array.isArray(body)) return;
    if (/^.v1.(shots|maps|calls)$/.test(operation.path)) this.#cheapenQuestion(operation, body);
    if (operation.path === '/v1/jobs' && body.dry_run !== true) body.delay_s ??= DAY_S;
  }

  /** Arguments that a path may have at the moment: those that the list above it shows. */
  async arguments(path, name) {
    if (this.lists.has(path)) return this.lists.get(path);
    const answer = path.includes('{') ? {} : await this.daemon.get(path);
    const found = (answer.items ?? []).map(item => String(item[name] ?? item.name ?? item.id));
    this.lists.set(path, found);
    return found;
  }
}
