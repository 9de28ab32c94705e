/** Stands at a vendor's address, in a network of its own: takes TLS there and passes on what is said to a UNIX socket. */
import { readFileSync, writeFileSync } from 'node:fs';
import { request as ask } from 'node:http';
import { createServer } from 'node:https';

const [address = '', socketPath = '', certificate = '', ready = ''] = process.argv.slice(2);

/** Before its first call codex asks where the work space of its account is. */
const ACCOUNTS = {
  accounts: [{ id: 'account-1', workspace_backend_origin: 'https://chatgpt.com', account_routing_override: 'us' }],
};

const tls = { key: readFileSync(`${certificate}.key`), cert: readFileSync(certificate) };
const server = createServer(tls, (request, response) => {
  const { url: path = '/', method, headers } = request;
  if (path.endsWith('/accounts/check')) {
    response.end(JSON.stringify(ACCOUNTS));
    return;
  }
  const passed = ask({ socketPath, path, method, headers }, (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.pipe(response);
  });
  passed.on('error', () => response.destroy());
  request.pipe(passed);
});
server.listen(443, address, () => writeFileSync(ready, ''));
