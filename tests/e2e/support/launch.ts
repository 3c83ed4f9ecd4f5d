const isRoot = process.getuid?.() === 0;

/** Flags without which Chromium asks the network for things of its own; the sandbox refuses to run as root. */
const quietFlags = [
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  ...(isRoot ? ['--no-sandbox'] : []),
];

/** Launch options of the browser, with further flags for some journeys. */
export function launchOptionsWith(flags: readonly string[] = []) {
  return { executablePath: process.env.CHROMIUM_PATH ?? '/usr/bin/chromium', args: [...quietFlags, ...flags] };
}
