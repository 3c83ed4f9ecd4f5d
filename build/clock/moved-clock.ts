/** Read by the dynamic linker, and by the library that it then loads. */
export const linkerFile = '/etc/ld.so.preload';
export const offsetFile = '/etc/faketimerc';
/** The variable of the environment that says that the clock is moved. */
export const movedClock = 'EVERKEPT_MOVED_CLOCK';

/**
 * Returns a command that runs at the real time, though the clock is moved for this process. Chromium keeps cookies in a process that
 * reads no such files, so a browser would throw away what a moved site gives it.
 */
export function atRealTime(file: string, args: readonly string[]): { file: string; args: string[] } {
  if (process.env[movedClock] === undefined) return { file, args: [...args] };
  const script = `umount ${offsetFile} && umount ${linkerFile} && exec "$0" "$@"`;
  return { file: 'unshare', args: ['--mount', 'sh', '-c', script, file, ...args] };
}
