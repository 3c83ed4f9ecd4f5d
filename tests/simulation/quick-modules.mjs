// Loaded first in a simulation, of which a test starts dozens. Node reads package.json again for each file of a
// package, and Drizzle's is 180 kB long, a quarter of the start. Drizzle's files import each other by path, so they
// need no package.json.
import module from 'node:module';

const home = '/node_modules/drizzle-orm/';

module.registerHooks({
  resolve(specifier, context, next) {
    const { parentURL = '' } = context;
    const isBeside = specifier.startsWith('.') && specifier.endsWith('.js');
    if (!isBeside || !parentURL.endsWith('.js') || !parentURL.includes(home)) return next(specifier, context);
    return { url: new URL(specifier, parentURL).href, format: 'module', shortCircuit: true };
  },
});
