import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Budget, generalLimitPerMinute, type RateLimits } from '#server/http/rate-limits.ts';
import { apiPrefix } from '#shared/api-prefix.ts';
import * as pageForms from '#shared/contract/page-forms.ts';
import { repository } from '#tests/architecture/sources.ts';
import { type BarePages, createBarePages } from '#tests/support/bare-pages.ts';
import { createEverkept, type Everkept } from '#tests/support/everkept.ts';
import { testBaseUrl } from '#tests/support/installation/test-settings.ts';
import { contractRoutes } from '#tests/support/routes.ts';
import { entrySources, linkedPaths } from '#web/linked-paths.ts';
import { signedInRoutes, signedOutRoutes } from '#web/routes.tsx';

/** docs/request-costs.md says what the code does. */

type Line = { route: string; row: string; general: string; own: string; network: string };

const doc = readFileSync(join(repository, 'docs/request-costs.md'), 'utf8');
const [costs = '', budgets = ''] = doc.split('## Routes and their budgets');
const cellsOf = (line: string) =>
  line
    .split('|')
    .slice(1, -1)
    .map((cell) => cell.trim());
const lines: Line[] = budgets
  .split('\n')
  .filter((line) => line.startsWith('| `'))
  .map(cellsOf)
  .map(([route = '', row = '', general = '', own = '', network = '']) => ({
    route: route.replaceAll('`', ''),
    row,
    general,
    own,
    network,
  }));
const rows = new Set(
  costs
    .split('\n')
    .filter((line) => line.startsWith('| '))
    .map((line) => cellsOf(line)[0]),
);

const pagePaths = new Set([
  ...linkedPaths,
  ...Object.keys(entrySources),
  ...[...signedInRoutes, ...signedOutRoutes].map(({ path }) => path),
]);
const routes = [...contractRoutes.map(({ route }) => route), ...Object.values(pageForms)];

let spent: { kind: 'general' | 'address' | 'network'; name: string; budget: Budget | null }[] = [];
/** Records the spending, and refuses nothing: the walk comes from one address. */
const recording = (usual: RateLimits): RateLimits => ({
  ...usual,
  spend: async () => undefined,
  spendGeneral: async () => void spent.push({ kind: 'general', name: '', budget: null }),
  spendOfAddress: async (name, _address, budget) => void spent.push({ kind: 'address', name, budget }),
  spendOfNetwork: async (name, _address, budget) => void spent.push({ kind: 'network', name, budget }),
});

let everkept: Everkept;
let pages: BarePages;
beforeAll(async () => {
  pages = await createBarePages();
  everkept = await createEverkept({ distDir: pages.distDir, limits: recording });
});
afterAll(async () => {
  await everkept.close();
  await pages.remove();
});

test('every route of the contract and every page has one line, and each line a row', () => {
  const expected = [
    ...routes.map(({ method, path }) => `${method} ${path}`),
    ...[...pagePaths].map((path) => `GET ${path}`),
  ];
  expect(lines.map(({ route }) => route).toSorted()).toEqual(expected.toSorted());
  expect(lines.filter(({ row }) => !rows.has(row))).toEqual([]);
});

async function ask(route: string): Promise<void> {
  const [method = '', path = ''] = route.split(' ');
  const isForm = !path.startsWith(apiPrefix);
  await everkept.app.inject({
    method: method as 'GET',
    url: path.replace(/\/:\w+\?/g, '').replace(/:\w+/g, 'A'.repeat(43)),
    headers: { origin: testBaseUrl, 'sec-fetch-site': 'same-origin', ...(method === 'GET' ? {} : typeOf(isForm)) },
    ...(method === 'GET' ? {} : { payload: isForm ? '' : '{}' }),
  });
}

const typeOf = (isForm: boolean) => ({
  'content-type': isForm ? 'application/x-www-form-urlencoded' : 'application/json',
});

/** The budgets of a route in the words of the table. */
function applied(route: string): Line {
  const figure = (kind: 'address' | 'network') =>
    spent.find((one) => one.kind === kind && one.name === route)?.budget?.limit.toLocaleString('en-GB') ?? '';
  const isCounted = spent.some(({ kind }) => kind === 'general');
  return {
    route,
    row: '',
    general: isCounted ? generalLimitPerMinute.toLocaleString('en-GB') : 'none',
    own: figure('address'),
    network: figure('network'),
  };
}

test('the budgets of each line are those that a request spends', async () => {
  const found: Line[] = [];
  for (const { route } of lines) {
    spent = [];
    await ask(route);
    found.push(applied(route));
  }
  expect(found.length).toBeGreaterThan(150);
  expect(found).toEqual(lines.map((line) => ({ ...line, row: '' })));
});
