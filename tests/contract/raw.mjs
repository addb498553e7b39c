// Requests over plain sockets: whole ones, whose answers are read, and hostile bytes.
import http from 'node:http';
import net from 'node:net';

const agent = new http.Agent({keepAlive: true, maxSockets: 4});

/** Sends a request. Resolves to its status, headers and text; undefined if nothing comes in time.
 * The text of an endless answer is left out. */
export function send(daemon, {method, target, headers, body}, mostMs) {
  return new Promise(resolve => {
    const give = (answer, text) =>
      resolve({status: answer.statusCode, headers: answer.headers, text});
    const options = {agent, method, host: '127.0.0.1', port: daemon.port, path: target};
    const length = body || method !== 'GET' ? {'Content-Length': body?.length ?? 0} : {};
    const request = http.request({...options, headers: {...headers, ...length}}, answer => {
      if (/event-stream/.test(answer.headers['content-type'])) {
        give(answer, '');
        request.destroy();
        return;
      }
      const parts = [];
      answer.on('data', part => parts.push(part));
      answer.on('end', () => give(answer, Buffer.concat(parts).toString()));
    });
    request.on('error', () => resolve(undefined));
    request.setTimeout(mostMs, () => request.destroy());
    request.end(body);
  });
}

// ---- hostile bytes ----

const GET = 'GET /v1/jobs?limit=1 HTTP/1.1\r\nHost: localhost\r\n';
const POST =
  'POST /v1/positions/validate HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n';
const POSITION =
  '{"profile":"dc3","state":{"end":0,"shot":0,"hammer":"team1","scores":{"team0":[],"team1":[]},' +
  '"stones":{"team0":[null],"team1":[null]}}}';
const post = (text, more = '') =>
  `${POST}Content-Length: ${Buffer.byteLength(text)}\r\n${more}\r\n${text}`;
const random = (dice, size) => Buffer.from(Array.from({length: size}, () => dice.below(256)));

const codings = ['chunked', 'CHUNKED', 'gzip, chunked', 'chunked, chunked', 'x'];

/** Bytes of each kind. */
const kinds = {
  'random bytes': dice => random(dice, 1 + dice.below(2000)),
  'a changed request': dice => {
    const bytes = Buffer.from(dice.one([`${GET}\r\n`, post(POSITION)]));
    for (let k = dice.below(4); k >= 0; k--) bytes[dice.below(bytes.length)] = dice.below(256);
    return bytes;
  },
  'a cut request': dice => {
    const bytes = post(POSITION);
    return bytes.slice(0, dice.below(bytes.length));
  },
  'a doubled request': dice => {
    const bytes = post(POSITION);
    const at = dice.below(bytes.length);
    return bytes.slice(0, at) + bytes.slice(dice.below(at + 1));
  },
  'a bad header': dice =>
    GET +
    dice.one([
      ...[
        'Host: other\r\n',
        'X\r\n',
        ': x\r\n',
        'X : y\r\n',
        'X: \u0000\r\n',
        ' folded\r\n',
        'X: é\r\n',
      ],
      ...[
        'Content-Length: -1\r\n',
        'Content-Length: 99999999999999999999\r\n',
        'Content-Length: 1,1\r\n',
      ],
      ...[
        'Content-Length: 3\r\nContent-Length: 4\r\n',
        'Transfer-Encoding : chunked\r\n',
        `X: ${'a'.repeat(70000)}\r\n`,
      ],
      ...[
        'X: y\r\n'.repeat(2000),
        'Expect: 100-continue, x\r\n',
        'Upgrade: h2c\r\nConnection: Upgrade\r\n',
      ],
    ]) +
    '\r\n',
  'a bad length': dice =>
    POST +
    dice.one([
      'Content-Length: +5',
      'Content-Length: 0x5',
      'Content-Length: 5 ',
      'Content-Length:',
    ]) +
    '\r\n\r\n{"a":1}',
  'bad chunks': dice =>
    `${POST}Transfer-Encoding: ${dice.one(codings)}\r\n\r\n` +
    dice.one([
      'zz\r\n',
      '-1\r\n',
      'ffffffffffffffffff\r\nx',
      '5\r\nab',
      '2;x=y\r\n{}\r\n0\r\n\r\n',
      '2\r\n{}\r\n0\r\nX: y\r\n\r\n',
      '\r\n',
      '2\n{}\n0\n\n',
    ]),
  'a bad first line': dice =>
    dice.one([
      ...[
        'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
        'GET  /healthz HTTP/1.1\r\n\r\n',
        'GET /healthz\r\n',
        'GET /healthz HTTP/9.9\r\n\r\n',
      ],
      ...[
        'get /healthz HTTP/1.1\r\nHost: a\r\n\r\n',
        `GET /${'a'.repeat(70000)} HTTP/1.1\r\nHost: a\r\n\r\n`,
        '\r\n\r\n\r\n',
      ],
      ...[
        'GET /%zz HTTP/1.1\r\nHost: a\r\n\r\n',
        'GET /%00 HTTP/1.1\r\nHost: a\r\n\r\n',
        'GET /%c0%af HTTP/1.1\r\nHost: a\r\n\r\n',
      ],
      ...[
        'GET http://x/healthz HTTP/1.1\r\nHost: a\r\n\r\n',
        'OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n',
        'CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n',
      ],
      ...[
        'GET /../../etc/passwd HTTP/1.1\r\nHost: a\r\n\r\n',
        `GET /?${'a=1&'.repeat(500)} HTTP/1.1\r\nHost: a\r\n\r\n`,
      ],
      ...[
        '\u0016\u0003\u0001\u0002\u0000\u0001\u0000\u0001',
        'TRACE / HTTP/1.1\r\nHost: a\r\n\r\n',
        'GET /healthz HTTP/1.0\r\n\r\n',
      ],
    ]),
  'no JSON': dice =>
    post(
      dice.one([
        ...[
          '',
          '{',
          '[[',
          '{"a":NaN}',
          '{"a":1e999}',
          '{"a":01}',
          '{} {}',
          '\ufeff{}',
          '{"a":1,"a":2}',
          '"\\ud800"',
        ],
        ...[
          '['.repeat(20000),
          '{"a":'.repeat(5000),
          `"${'a'.repeat(100000)}"`,
          '\u0000',
          '{"a":"\u0001"}',
          "{'a':1}",
        ],
        ...[
          POSITION.slice(0, dice.below(POSITION.length)),
          `${POSITION}x`,
          POSITION.replace('0', '0'.repeat(400)),
        ],
      ]),
    ),
  'no UTF-8': dice =>
    Buffer.concat([
      Buffer.from(`${POST}Content-Length: 8\r\n\r\n`),
      Buffer.from([0x22, ...random(dice, 6).map(x => x | 128), 0x22]),
    ]),
  'several requests': dice =>
    dice.one([`${GET}\r\n`, post(POSITION)]).repeat(1 + dice.below(20)) +
    dice.one(['', 'x', 'GET ']),
};
/** Kinds for which a 2xx would be a mistake. */
const mustRefuse = new Set(['no JSON', 'no UTF-8', 'a bad length']);

/** Makes hostile bytes. */
export function hostile(dice) {
  const name = dice.one(Object.keys(kinds));
  return {name, bytes: Buffer.from(kinds[name](dice))};
}

/** Sends the bytes and no more. Resolves to what is wrong with the answers, if anything is. With
 * `giveUpMs` a connection on which nothing happens for so long is closed, and nothing is wrong. */
export async function attack(daemon, {name, bytes}, mostMs, giveUpMs) {
  const text = await exchange(daemon.port, bytes, giveUpMs ?? mostMs);
  const wrong = why => ({
    name,
    why,
    bytes: bytes.toString('latin1').slice(0, 300),
    text: text ?? '',
  });
  if (text === undefined) return giveUpMs ? undefined : wrong('no end');
  const statuses = [...text.matchAll(/^HTTP\/1\.[01] (\d+) /gm)].map(([, status]) =>
    Number(status),
  );
  if (text !== '' && statuses.length === 0) return wrong('an answer that is none');
  const bad = statuses.find(status => status >= 500 && status !== 501 && status !== 505);
  if (bad) return wrong(String(bad));
  if (mustRefuse.has(name) && statuses.some(status => status < 400 && status !== 100))
    return wrong('accepted');
  return undefined;
}

/** Sends the bytes, ends the sending side, and reads until the daemon ends, too. */
function exchange(port, bytes, mostMs) {
  return new Promise(resolve => {
    const socket = net.connect(port, '127.0.0.1');
    const parts = [];
    const finish = text => {
      resolve(text);
      socket.destroy();
    };
    socket.on('data', part => parts.push(part));
    socket.on('end', () => finish(Buffer.concat(parts).toString('latin1')));
    socket.on('error', () => finish(Buffer.concat(parts).toString('latin1')));
    socket.setTimeout(mostMs, () => finish(undefined));
    socket.end(bytes);
  });
}
