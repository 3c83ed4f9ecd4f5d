import { pathToFileURL } from 'node:url';
import type { Plugin } from 'vite';

/**
 * Replaces a module by the value of its one export at build time. For data with large sources, of which the browser
 * needs only the result.
 *
 * @param file the module's full path. It exports one constant of this name, which must fit into JSON.
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
