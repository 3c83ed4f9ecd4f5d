import { prerender } from 'react-dom/static';
import { productName } from '#shared/product.ts';
import { entryPage } from '#web/entry-pages.tsx';
import type { Sent, SentAnswer } from '#web/lib/api/sent-context.ts';
import { setSupportEmail } from '#web/lib/support.ts';
import { linkedPage } from '#web/linked-pages.tsx';
import { type EntryPath, isLinkedPath, type LinkedPath } from '#web/linked-paths.ts';
import { Root } from '#web/root.tsx';

export type DrawnPage = {
  markup: string;
  title: string;
  /** Data of the drawn page, from which the browser continues. */
  sent: Pick<Sent, 'answers' | 'fields'>;
};

type Drawing = {
  /** The address at which it stands. */
  path: string;
  search: string;
  /** Known data: answers by address, and the result of a form. */
  known?: Pick<Sent, 'answers' | 'fields'> | undefined;
  /** Address for people who need help. */
  supportEmail: string;
  /** Answers a GET to an address of the service. What it throws is thrown. */
  read: (address: string) => Promise<SentAnswer>;
};

/** More than any page reads one after the other. */
const roundsMax = 3;

/** Draws a linked page, or one that leads into the vault: first finds its reads, then draws it with their answers. */
export async function renderLinked(
  page: LinkedPath | EntryPath,
  { path, search, known = { answers: {} }, supportEmail, read }: Drawing,
): Promise<DrawnPage> {
  setSupportEmail(supportEmail);
  const FirstPage = isLinkedPath(page) ? await linkedPage(page) : await entryPage(page);
  const sent = { ...known, answers: { ...known.answers } };
  for (let round = 0; round < roundsMax; round += 1) {
    const wishes = new Set<string>();
    let title = productName;
    const wish = (address: string) => void wishes.add(address);
    const name = (given: string) => {
      title = given;
    };
    const withheld = new Map<string, readonly string[]>();
    const withhold = (address: string, fields: readonly string[]) => void withheld.set(address, fields);
    const asked = { ...sent, wish, name, withhold };
    const root = <Root FirstPage={FirstPage} ssrPath={path} ssrSearch={search} sent={asked} />;
    const { prelude } = await prerender(root);
    const markup = await new Response(prelude).text();
    if (wishes.size === 0) return { markup, title, sent: { ...sent, answers: without(withheld, sent.answers) } };
    const answered = await Promise.all([...wishes].map(async (address) => [address, await read(address)] as const));
    Object.assign(sent.answers, Object.fromEntries(answered));
  }
  throw new Error(`The page at ${page} wants to read more and more.`);
}

function without(withheld: ReadonlyMap<string, readonly string[]>, answers: Sent['answers']): Sent['answers'] {
  const kept = Object.entries(answers).map(([address, { status, body }]) => {
    const fields = withheld.get(address) ?? [];
    const shown = Object.entries(body ?? {}).filter(([name]) => !fields.includes(name));
    return [address, { status, body: fields.length > 0 ? Object.fromEntries(shown) : body }] as const;
  });
  return Object.fromEntries(kept);
}
