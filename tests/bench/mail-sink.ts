/**
 * A mail server in a process of its own: it takes every mail and forgets it. Asked 'count', it says how many it has
 * taken and when the last one came.
 *
 * Usage: fork('tests/bench/mail-sink.ts')
 */
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { SMTPServer } from 'smtp-server';

let taken = 0;
let lastAtMs = 0;

const server = new SMTPServer({
  authOptional: true,
  disabledCommands: ['STARTTLS'],
  logger: false,
  onData: (stream, _session, callback) => {
    stream.resume();
    stream.once('end', () => {
      taken += 1;
      lastAtMs = Date.now();
      callback();
    });
  },
});
// A client that is stopped in the middle is none of our business.
server.on('error', () => undefined);
server.listen(0, '127.0.0.1');
await once(server.server, 'listening');
const { port } = server.server.address() as AddressInfo;

process.on('message', () => process.send?.({ taken, lastAtMs }));
process.once('disconnect', () => process.exit());
process.send?.({ port });
