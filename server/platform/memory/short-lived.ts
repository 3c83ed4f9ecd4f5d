import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** How much may pass before what was used for it is given back. */
const everyBytes = 8 * 1024 * 1024;

type Collect = (options: { type: 'minor' }) => void;
let collect: Collect | undefined;
/** Of all streams together: a thousand small files fill the memory as one large file does. */
let passedBytes = 0;

/**
 * Counts bytes that pass through short-lived buffers, and gives these back now and then. V8 sees a buffer as one small
 * object, however much memory hangs on it, and looks only after some 64 to 100 MB of them; a large file would raise the
 * memory of the process by as much, and then V8 would look through all objects, old ones too, which takes twenty times
 * as long. Collecting young objects alone takes about a millisecond.
 */
export function shortLived(bytes: number): void {
  passedBytes += bytes;
  if (passedBytes < everyBytes) return;
  passedBytes = 0;
  collect ??= collector();
  collect({ type: 'minor' });
}

/** V8 shows its collector only to code that is made after the flag was set. */
function collector(): Collect {
  setFlagsFromString('--expose-gc');
  return runInNewContext('gc') as Collect;
}
