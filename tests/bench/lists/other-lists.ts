import type { Database } from '#server/platform/db/database.ts';
import { contactsMax } from '#shared/rules/contacts.ts';
import { type Figure, ms } from '../figure.ts';
import { createOwners } from '../owners.ts';
import type { Site } from '../site.ts';
import { fillOthers, findOwner } from './filled-owner.ts';
import { call, healthBeside, kilobytes, listsAtOnce, timesOf } from './lists.calls.ts';

const healthMs = 50;

/** Lists of documents, contacts and activity: one owner for each number of rows. */
export async function otherFigures(site: Site, db: Database, counts: readonly number[]): Promise<Figure[]> {
  const { dataDir } = site;
  const cookies = await createOwners(db, { dataDir, count: counts.length, name: 'others' });
  const figures: Figure[] = [];
  for (const [index, count] of counts.entries()) {
    await fillOthers(await findOwner(db, { dataDir, email: `others-${index}@everkept.example` }), count);
    figures.push(...(await figuresOf(site, cookies[index] ?? '', count)));
  }
  return figures;
}

async function figuresOf(site: Site, cookie: string, count: number): Promise<Figure[]> {
  const timed = (path: string, body?: object) => timesOf(() => call(site, { cookie }, path, body));
  const search = { words: 'no such word' };
  const page = await timed('/api/documents/page');
  const byName = await timed('/api/documents/page?sort=name');
  const searched = await timed('/api/documents/search', search);
  const whole = await timed('/api/documents');
  const contacts = await timed('/api/trusted-contacts');
  const activity = await timed('/api/user/activity');
  const oldest = await timed('/api/user/activity?before=50');
  const filtered = await timed('/api/user/activity?kind=money');
  const besideMs = await healthBeside(site, () => call(site, { cookie }, '/api/documents/search', search));
  return [
    {
      what: `${count} documents: page; by name; a search of all words`,
      figure: `${[page, byName, searched].map(({ tookMs }) => ms(tookMs)).join('; ')}, ${kilobytes(page.bytes)}`,
    },
    { what: '  GET /api/documents, compressed if long', figure: `${ms(whole.tookMs)}, ${kilobytes(whole.bytes)}` },
    {
      what: `  slowest /healthz beside ${listsAtOnce} searches`,
      figure: ms(besideMs),
      goal: `< ${healthMs} ms`,
      met: besideMs < healthMs,
    },
    { what: `  ${Math.min(count, contactsMax)} contacts, as many as there can be`, figure: ms(contacts.tookMs) },
    {
      what: `  ${count} lines of activity: newest page; oldest; of a kind that has none`,
      figure: [activity, oldest, filtered].map(({ tookMs }) => ms(tookMs)).join('; '),
    },
  ];
}
