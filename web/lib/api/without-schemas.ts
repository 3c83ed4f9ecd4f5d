import type { Route } from '#shared/contract/route.ts';

/** Routes by method and address only, as the web's build writes them into a page. */
export function withoutSchemas<Routes extends Record<string, Route>>(routes: Routes): Routes {
  const light = Object.entries(routes).map(([name, route]) => [
    name,
    { method: route.method, path: route.path, expects: route.expects },
  ]);
  return Object.fromEntries(light) as Routes;
}
