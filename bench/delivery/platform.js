import { createServer } from 'node:http';

/** A platform in a child process that takes 20 ms for each reply. `GET` answers how many it has had. */
const LATENCY_MS = 20;
let replies = 0;

const server = createServer((request, response) => {
  if (request.method === 'GET') {
    response.end(String(replies));
    return;
  }
  const answer = () => {
    replies += 1;
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end('{"code":200,"message":"success"}');
  };
  request.resume().on('end', () => setTimeout(answer, LATENCY_MS));
});

process.on('disconnect', () => process.exit());
server.listen(0, '127.0.0.1', 1024, () => {
  const address = server.address();
  process.send?.({ ready: true, port: typeof address === 'object' ? address?.port : undefined });
});
