import type { Actor, Hostile } from './requests.ts';
import { type Answer, isWhole } from './wire.ts';

/** Words that only one person may read, by person. */
export type Canaries = Record<'owner' | 'stranger' | 'administrator', string>;

/** Internal text that must never appear: stacks, source paths, SQL, PostgreSQL's messages, hashes. */
const ours =
  /node_modules|\.ts:\d+|\n\s+at \S+ \(|\$argon2|select "[^"]+"|insert into "|update "[^"]+" set|duplicate key value|violates [a-z-]+ constraint|relation "[^"]+"|invalid input syntax|ECONNREFUSED|BEGIN [A-Z ]*PRIVATE KEY/;

/** Fault of an answer as a sentence; null if there is none. */
export function faultOf(hostile: Hostile, answer: Answer, canaries: Canaries): string | null {
  const { status, body, headers } = answer;
  if (status === 0) return isWhole(hostile.framing) ? 'The line was closed without an answer.' : null;
  if (status >= 500 && !isStated(answer)) return `It was answered ${status}: ${body.slice(0, 500)}`;
  const leaked = leakOf(hostile.actor, body + [...headers.values()].join('\n'), canaries);
  if (leaked) return `What ${leaked} wrote was told to the ${hostile.actor}.`;
  const found = ours.exec(body);
  return found ? `The answer (${status}) tells of our inside: ${found[0]}` : null;
}

/** A 503 that says so in the form of every error, and when to come back. */
function isStated({ status, headers, body }: Answer): boolean {
  return status === 503 && headers.has('retry-after') && body.includes('"type":"UNAVAILABLE"');
}

function leakOf(actor: Actor, text: string, canaries: Canaries): string | null {
  const found = Object.entries(canaries).find(([whose, canary]) => whose !== actor && text.includes(canary));
  return found?.[0] ?? null;
}
