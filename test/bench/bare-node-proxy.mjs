// The ceiling for any gateway on Node: accept, parse the JSON body once, forward over kept-alive connections with undici's
// lowest-level call, write the answer back. No auth, no routing, no metering, no log.
// usage: PORT=9201 UPSTREAM=http://127.0.0.1:9001 node bare-node-proxy.mjs   (undici is resolved from the current folder)
import http from 'node:http';
import { createRequire } from 'node:module';

const { Pool } = createRequire(`${process.cwd()}/`)('undici');
const pool = new Pool(process.env.UPSTREAM, { connections: 256, pipelining: 1 });
const headers = { 'content-type': 'application/json', authorization: 'Bearer x' };
http
  .createServer((req, res) => {
    const chunks = [];
    req.on('data', (chunk) => chunks.push(chunk));
    req.on('end', () => {
      const body = Buffer.concat(chunks);
      JSON.parse(body);
      pool.dispatch(
        { path: req.url, method: 'POST', headers, body },
        {
          onConnect(abort) {
            res.on('close', () => {
              if (!res.writableFinished) abort();
            });
          }, // else a paused answer to a gone client holds its connection for ever
          onHeaders(status, raw, resume) {
            const type = raw.findIndex((h) => h.toString().toLowerCase() === 'content-type');
            res.writeHead(status, { 'content-type': type < 0 ? 'application/json' : raw[type + 1].toString() });
            res.on('drain', resume);
            return true;
          },
          onData(chunk) {
            return res.write(chunk);
          },
          onComplete() {
            res.end();
          },
          onError() {
            res.destroy();
          },
        },
      );
    });
  })
  .listen(Number(process.env.PORT), '127.0.0.1', 4096);
