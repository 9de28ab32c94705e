/** A small HTTP service in CommonJS: routes, storage, sessions; tested by `node --test` from a folder `test`. */
import type { Tree } from './planted.ts';

export const OLD_AMOUNTS = `'use strict';

/** Reads "2 kg" or "500 g". Always in grams. */
function parseAmount(text) {
  const parts = text.split(' ');
  const value = parseInt(parts[0], 10);
  const unit = parts[1];
  let grams = value;
  if (unit === 'kg') grams = value * 1000;
  if (unit === 'g') grams = value;
  return grams;
}

function formatAmount(grams) {
  return grams + ' g';
}

module.exports = { parseAmount, formatAmount };
`;
const AMOUNTS = `'use strict';

const UNITS = { g: 1, kg: 1000, lb: 453.592 };

/** Reads "2 kg", "500 g" or "1.5 lb". Always in grams. */
function parseAmount(text) {
  const match = /^(\\d+(?:\\.\\d+)?)\\s*(g|kg|lb)$/.exec(text.trim());
  if (match === null) throw new TypeError(\`not an amount: \${text}\`);
  return Math.round(Number(match[1]) * UNITS[match[2]]);
}

function formatAmount(grams) {
  return grams < 1000 ? \`\${grams} g\` : \`\${grams / 1000} kg\`;
}

module.exports = { parseAmount, formatAmount };
`;

export const PANTRY: readonly Tree[] = [
  {
    'package.json': `{
  "name": "pantry",
  "version": "3.2.0",
  "license": "MIT",
  "main": "server.js",
  "engines": { "node": ">=20" },
  "scripts": {
    "start": "node server.js",
    "test": "node --test",
    "client": "node scripts/make-client.js"
  },
  "dependencies": {}
}
`,
    LICENSE: 'MIT License\n\nCopyright (c) 2021 The pantry authors\n\nPermission is hereby granted, free of charge.\n',
    'README.md': `# pantry

Keeps what is in the kitchen. \`npm start\` listens on port 8080.

## Routes

- \`GET /items\` lists all items
- \`POST /items\` adds one: \`{"name": "rice", "amount": "2 kg"}\`

## Configuration

\`PORT\` and \`PANTRY_FILE\`, see \`.env.example\`.
`,
    '.gitignore': 'node_modules/\n.env\n*.log\n',
    '.env.example': 'PORT=8080\nPANTRY_FILE=./pantry.json\nSESSION_KEY=change-me\n',
    '.github/workflows/ci.yml':
      'name: ci\non: [push]\njobs:\n  test:\n    runs-on: ubuntu-latest\n    steps:\n      - uses: actions/checkout@v4\n      - run: npm test\n',
    'server.js': `'use strict';
const http = require('node:http');
const { createRouter } = require('./lib/router');
const { createStorage } = require('./lib/storage');

const port = Number(process.env.PORT ?? 8080);
const storage = createStorage(process.env.PANTRY_FILE ?? './pantry.json');

if (require.main === module) {
  http.createServer(createRouter(storage)).listen(port, () => {
    console.log(\`listening on \${port}\`);
  });
}
`,
    'lib/amounts.js': OLD_AMOUNTS,
    'lib/storage.js': `'use strict';
const fs = require('node:fs');

/** Items in one JSON file. */
function createStorage(file) {
  function load() {
    let text;
    try {
      text = fs.readFileSync(file, 'utf8');
    } catch (error) {
      if (error.code === 'ENOENT') return [];
      throw error;
    }
    return JSON.parse(text);
  }

  function save(items) {
    const next = \`\${file}.next\`;
    fs.writeFileSync(next, JSON.stringify(items));
    fs.renameSync(next, file);
  }

  return { load, save };
}

module.exports = { createStorage };
`,
    'lib/router.js': `'use strict';
const { parseAmount } = require('./amounts');

const MAX_BODY = 64 * 1024;

function createRouter(storage) {
  return async function route(request, response) {
    try {
      const { status, body } = await answer(storage, request);
      send(response, status, body);
    } catch (error) {
      const status = error instanceof TypeError || error instanceof SyntaxError ? 400 : 500;
      send(response, status, { error: error.message });
    }
  };
}

async function answer(storage, request) {
  const { pathname } = new URL(request.url, 'http://localhost');
  if (pathname !== '/items') return { status: 404, body: { error: 'not found' } };
  if (request.method === 'GET') return { status: 200, body: storage.load() };
  if (request.method !== 'POST') return { status: 405, body: { error: 'not allowed' } };
  const { name, amount } = JSON.parse(await readBody(request));
  if (typeof name !== 'string' || name === '') throw new TypeError('name is missing');
  const item = { name, grams: parseAmount(amount) };
  storage.save([...storage.load(), item]);
  return { status: 201, body: item };
}

async function readBody(request) {
  let body = '';
  for await (const chunk of request) {
    body += chunk;
    if (body.length > MAX_BODY) throw new TypeError('body is too long');
  }
  return body;
}

function send(response, status, body) {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
}

module.exports = { createRouter, readBody };
`,
    'lib/sessions.js': `'use strict';
const crypto = require('node:crypto');

/** Signs the name of a person; the signature is checked in constant time. */
function sign(name, key) {
  const mac = crypto.createHmac('sha256', key).update(name).digest('hex');
  return \`\${name}.\${mac}\`;
}

function verify(token, key) {
  const name = token.slice(0, token.lastIndexOf('.'));
  const wanted = Buffer.from(sign(name, key));
  const given = Buffer.from(token);
  if (wanted.length !== given.length || !crypto.timingSafeEqual(wanted, given)) return null;
  return name;
}

module.exports = { sign, verify };
`,
    'lib/reports.js': `'use strict';
const { execFile } = require('node:child_process');

/** Rows that run low. */
function lowItems(db, limit) {
  return db.all('SELECT name, grams FROM items WHERE grams < ? ORDER BY grams', [limit]);
}

function archive(directory, target, done) {
  execFile('tar', ['-czf', target, '-C', directory, '.'], done);
}

module.exports = { lowItems, archive };
`,
    'scripts/make-client.js': `'use strict';
const fs = require('node:fs');

const routes = [
  ['listItems', 'GET', '/items'],
  ['addItem', 'POST', '/items'],
];
const lines = routes.map(([name, method, path]) => \`exports.\${name} = (send, body) => send('\${method}', '\${path}', body);\`);
fs.writeFileSync('client/index.js', \`// Code generated by scripts/make-client.js. DO NOT EDIT.\\n\${lines.join('\\n')}\\n\`);
`,
    'client/index.js': `// Code generated by scripts/make-client.js. DO NOT EDIT.
exports.listItems = (send, body) => send('GET', '/items', body);
exports.addItem = (send, body) => send('POST', '/items', body);
`,
    'test/amounts.test.js': `'use strict';
const assert = require('node:assert/strict');
const { describe, it } = require('node:test');
const { formatAmount, parseAmount } = require('../lib/amounts');

describe('parseAmount', () => {
  it('reads grams', () => {
    assert.equal(parseAmount('500 g'), 500);
  });

  it('reads kilograms', () => {
    assert.equal(parseAmount('2 kg'), 2000);
  });
});

describe('formatAmount', () => {
  it('shows grams', () => {
    assert.equal(formatAmount(20), '20 g');
  });
});
`,
    'test/sessions.test.js': `'use strict';
const assert = require('node:assert/strict');
const { describe, it } = require('node:test');
const { sign, verify } = require('../lib/sessions');

const KEY = 'k'.repeat(32);

describe('sessions', () => {
  it('verifies what it signed', () => {
    assert.equal(verify(sign('ada', KEY), KEY), 'ada');
  });

  it('refuses another name', () => {
    const token = sign('ada', KEY).replace('ada', 'eve');
    assert.equal(verify(token, KEY), null);
  });

  it('refuses another key', () => {
    assert.equal(verify(sign('ada', KEY), 'x'.repeat(32)), null);
  });
});
`,
    'test/router.test.js': `'use strict';
const assert = require('node:assert/strict');
const { Readable } = require('node:stream');
const { beforeEach, describe, it } = require('node:test');
const { createRouter } = require('../lib/router');

let items;
const storage = { load: () => items, save: (next) => (items = next) };

async function ask(method, url, body = '') {
  const answer = {};
  const response = {
    writeHead: (status) => (answer.status = status),
    end: (text) => (answer.body = JSON.parse(text)),
  };
  await createRouter(storage)(Object.assign(Readable.from([body]), { method, url }), response);
  return answer;
}

describe('router', () => {
  beforeEach(() => {
    items = [];
  });

  it('lists items', async () => {
    items = [{ name: 'salt', grams: 5 }];
    assert.deepEqual(await ask('GET', '/items'), { status: 200, body: [{ name: 'salt', grams: 5 }] });
  });

  it('adds an item', async () => {
    const { status } = await ask('POST', '/items', '{"name":"rice","amount":"2 kg"}');
    assert.equal(status, 201);
    assert.deepEqual(items, [{ name: 'rice', grams: 2000 }]);
  });

  it('refuses an item without a name', async () => {
    const { status, body } = await ask('POST', '/items', '{"amount":"2 kg"}');
    assert.equal(status, 400);
    assert.match(body.error, /name is missing/);
  });

  it('knows no other path', async () => {
    assert.equal((await ask('GET', '/nothing')).status, 404);
  });
});
`,
  },
  {
    'lib/amounts.js': AMOUNTS,
    'test/amounts.test.js': `'use strict';
const assert = require('node:assert/strict');
const { describe, it } = require('node:test');
const { formatAmount, parseAmount } = require('../lib/amounts');

describe('parseAmount', () => {
  it('reads grams', () => {
    assert.equal(parseAmount('500 g'), 500);
  });

  it('reads kilograms', () => {
    assert.equal(parseAmount('2 kg'), 2000);
  });

  it('reads pounds', () => {
    assert.equal(parseAmount('1.5 lb'), 680);
  });

  it('refuses what is no amount', () => {
    assert.throws(() => parseAmount('some'), TypeError);
    assert.throws(() => parseAmount('-2 kg'), TypeError);
  });
});

describe('formatAmount', () => {
  it('shows grams', () => {
    assert.equal(formatAmount(20), '20 g');
  });

  it('shows kilograms', () => {
    assert.equal(formatAmount(1500), '1.5 kg');
  });
});
`,
  },
];
