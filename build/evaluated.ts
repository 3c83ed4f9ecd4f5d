import { pathToFileURL } from 'node:url';
import type { Plugin } from 'vite';

/**
 * Puts in place of a module what its one export is when the web is built: data that is made from much, of which the browser needs
 * no more than the outcome.
 *
 * @param file the module, by its whole path. It exports one constant of this name that JSON can hold.
 */
export function evaluated(file: string, name: string): Plugin {
  return {
    name: 'everkept-evaluated',
    apply: 'build',
    async load(id) {
      if (id !== file) return null;
      // A second build in one process would be given what the first one found.
      if (this.meta.watchMode) throw new Error(`${file} is evaluated once, and can't be watched.`);
      const module: Record<string, unknown> = await import(pathToFileURL(file).href);
      if (Object.keys(module).join() !== name) throw new Error(`${file} exports more than ${name}, or not that.`);
      return `export const ${name} = ${JSON.stringify(module[name])};`;
    },
  };
}
