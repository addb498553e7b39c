// A database to show: games, a ladder, a training, a review. And the pages that show it.

const GAME = {profile: 'dc3', ends: 4};
const PLAYERS = ['ai-simple', 'dc3-rulebased', 'rink:simulations=100', 'random'];
const TRAINING = {
  ...{algorithm: 'nfsp', profile: 'dc2', iterations: 200, seeds: [1, 2, 3]},
  ...{evaluate_every: 20, evaluate_pairs: 1, opponents: ['random']},
  network: {architecture: 'mlp', hidden: [8]},
  hyper: {
    ...{candidates: 0, parallel: 4, batch: 16, warm_up: 32},
    ...{response_memory: 2000, average_memory: 2000},
  },
};

/** Fills a database, unless it is: {match, run, runs, job, review}. */
export async function fill(daemon) {
  const {items} = await daemon.get('/v1/jobs?state=done&limit=100');
  const one = async (kind, spec) =>
    items.findLast(job => job.kind === kind) ?? daemon.work(kind, spec);
  const match = await one('match', {
    ...{a: 'rink:simulations=400', b: 'dc3-rulebased', pairs: 3, seed: 1},
    ...GAME,
  });
  await one('tournament', {players: PLAYERS, pairs: 4, seed: 2, ...GAME});
  const isQuick = process.env.RINKD_QUICK; // without a training, which takes minutes
  const {runs} = isQuick ? await one('diagnose', {seconds: 2}) : await one('train', TRAINING);
  const review = await one('review', {
    ...{game: '1-0-0', judge: 'rink:opponent=best,simulations=600', throws: 128, threads: 2},
  });
  if (!(await daemon.get('/v1/library')).items.length)
    await daemon.post(`/v1/reviews/${review.id}/puzzles`, {});
  return {job: match.id, run: runs[0], runs: runs.join(), review: review.id};
}

const POSITION =
  'profile=dc3&ends=8&end=6&shot=11&hammer=team1&score0=0_2_0_1_0_1&score1=1_0_1_0_2_0' +
  '&stones0=1_0.25_35.4*2_-0.35_38.1*3_0.9_38.9&stones1=1_-0.9_36.1*2_0.5_39.1';

async function ask(page) {
  await page.getByLabel('Seconds to think').fill('3'); // enough of a busy machine
  await page.getByRole('button', {name: 'Ask for the best shot'}).click();
  await page.getByRole('button', {name: 'Ask for the best shot'}).waitFor();
  await page.getByRole('heading', {name: 'Best shots', exact: true}).waitFor();
}

async function drawMap(page) {
  await page.getByRole('button', {name: 'Draw the map'}).click();
  await page.getByRole('heading', {name: 'Best shots of the map'}).waitFor();
}

/** Shows a shot in the middle of the game. */
async function replay(page) {
  await page.getByRole('button', {name: 'End 2', exact: true}).click();
  await page.getByText('End 2, shot 1:').waitFor();
  await page.getByRole('slider', {name: 'shot of the game'}).fill('27');
  await page.locator('.sheet .thrown').first().waitFor();
}

/** Waits for the better call on the ice. */
async function drawn(page) {
  await page.locator('.sheet .path.better').waitFor();
}

async function fitted(page) {
  await page.getByRole('heading', {name: 'Which kind of hand is it?'}).waitFor();
}

async function solve(page) {
  await page.locator('.sheet').click({position: {x: 150, y: 150}});
  await page.getByText('Aimed at').waitFor();
  await page.getByRole('button', {name: 'Throw', exact: true}).click();
  await page.getByRole('button', {name: 'Try again'}).waitFor();
}

/** {name: {address, act}}; sample: of fill(), or null for an empty database. */
export function pagesOf(sample) {
  const always = {
    overview: {address: '#/'},
    runs: {address: '#/runs'},
    new: {address: '#/new/match'},
    training: {address: '#/new/train'},
    ladder: {address: '#/ladder/dc3/4'},
    board: {address: '#/board'},
    games: {address: '#/games'},
    library: {address: '#/library'},
    nodes: {address: '#/nodes'},
    words: {address: '#/glossary/hammer'},
    reproduction: {address: '#/reproduction'},
    nothing: {address: '#/no-such-page'},
  };
  if (!sample) return always;
  const {job, run, runs, review} = sample;
  return {
    ...always,
    job: {address: `#/job/${job}`},
    'job-of-a-review': {address: `#/job/${review}`},
    run: {address: `#/run/${run}`},
    'four-runs': {address: `#/run/${runs}`},
    match: {address: '#/games/1'},
    game: {address: '#/games/1/1-0-0', act: replay},
    hand: {address: '#/hand?game=1-0-0', act: fitted},
    puzzle: {address: '#/library/1', act: solve},
    review: {address: `#/review/${review}`, act: drawn},
    answer: {address: `#/board?${POSITION}`, act: ask},
    map: {address: `#/board?${POSITION}`, act: drawMap},
  };
}
