import type { QueryClient } from '@tanstack/react-query';
import type { User } from '#shared/contract/accounts.ts';
import { accountPages } from '#web/components/layout/account-menu.tsx';
import { linksFor } from '#web/components/layout/app-header.tsx';
import { vaultHeadings } from '#web/content/vault-headings.ts';
import { light } from '#web/lib/api/light-routes.ts';
import { keyOf } from '#web/lib/api/reads.ts';
import { type Asked, askPage } from '#web/lib/asked-page.ts';

/** Target of a choice: the list of keys, or a page with an optional step before. A choice only opens things. */
export type PaletteGo = { to: 'keys' } | { to: 'page'; path: string; before?: (() => void) | undefined };

export type PaletteItem = {
  id: string;
  label: string;
  /** A second line, which is searched as well. */
  note?: string | undefined;
  go: PaletteGo;
};

export type PaletteGroup = { title: string; items: readonly PaletteItem[]; isShownUnasked: boolean };

type Having = { user: User; hasPage: (path: string) => boolean; client: QueryClient };

/** Everything that the palette can find. Letters, documents and contacts are those that the browser has already; of many letters or documents these are a part. */
export function paletteGroups({ user, hasPage, client }: Having): PaletteGroup[] {
  const { letters, documents, contacts } = readAlready(client);
  return [
    { title: 'Actions', items: actions.filter(({ go }) => go.to === 'keys' || hasPage(go.path)), isShownUnasked: true },
    {
      title: 'Pages',
      items: pagesOf(user).filter(({ go }) => go.to === 'page' && hasPage(go.path)),
      isShownUnasked: true,
    },
    { title: 'Letters', items: letters ?? [], isShownUnasked: false },
    { title: 'Documents', items: documents ?? [], isShownUnasked: false },
    { title: 'Contacts', items: contacts ?? [], isShownUnasked: false },
  ];
}

/** Offers to search the pages whose lists the browser does not have, or not whole. The palette itself never fetches a list. */
export function searchesElsewhere(words: string, client: QueryClient): PaletteItem[] {
  if (words.trim() === '') return [];
  const had = readAlready(client);
  const places = [
    { path: '/messages', noun: 'messages', isHad: had.hasAllLetters },
    { path: '/documents', noun: 'documents', isHad: had.hasAllDocuments },
    { path: '/contacts', noun: 'contacts', isHad: had.contacts !== undefined },
  ];
  return places
    .filter(({ isHad }) => !isHad)
    .map(({ path, noun }) => ({
      id: `search-${noun}`,
      label: `Search ${noun} for “${words.trim()}”`,
      go: goTo(path, { what: 'find', words: words.trim() }),
    }));
}

const actions: readonly PaletteItem[] = [
  { id: 'write', label: 'Write a letter', note: 'Opens a new sheet', go: goTo('/messages', { what: 'new' }) },
  { id: 'add-document', label: 'Add a document', go: goTo('/documents', { what: 'new' }) },
  { id: 'add-contact', label: 'Add a contact', go: goTo('/contacts', { what: 'new' }) },
  {
    id: 'still-here',
    label: 'I’m still here',
    note: 'Opens the dashboard, where you press Check In',
    go: goTo('/', { what: 'check-in' }),
  },
  { id: 'keys', label: 'Show the keys', go: { to: 'keys' } },
];

const morePages = [
  { href: '/rehearsal', label: vaultHeadings['/rehearsal'].title },
  { href: '/recently-deleted', label: vaultHeadings['/recently-deleted'].title },
  { href: '/first-weeks', label: vaultHeadings['/first-weeks'].title },
  { href: '/user-guide', label: 'User guide' },
  { href: '/faq', label: 'Questions and answers' },
  { href: '/security', label: 'Security' },
  { href: '/privacy-policy', label: 'Privacy policy' },
];

function pagesOf(user: User): PaletteItem[] {
  return [...linksFor(user), ...accountPages, ...morePages].map(({ href, label }) => ({
    id: `page-${href}`,
    label,
    go: goTo(href),
  }));
}

function goTo(path: string, asked?: Asked): PaletteGo {
  return { to: 'page', path, before: asked && (() => askPage(path, asked)) };
}

/** Letters of the first page of the list, or of the dashboard's shelf, and whether they are all. */
function lettersRead(client: QueryClient) {
  const page = client.getQueryData(keyOf(light.listEnvelopes));
  if (page) return { known: page.groups.flatMap(({ envelopes }) => envelopes), hasAllLetters: page.next === null };
  const summary = client.getQueryData(keyOf(light.getLettersSummary));
  return { known: summary?.shelf, hasAllLetters: summary != null && summary.shelf.length === summary.all };
}

function readAlready(client: QueryClient) {
  const { known: letters, hasAllLetters } = lettersRead(client);
  const documents = client.getQueryData(keyOf(light.listDocumentPage));
  const contacts = client.getQueryData(keyOf(light.listContacts));
  return {
    hasAllLetters,
    letters: letters?.map(({ id, title, recipients }) => ({
      id: `letter-${id}`,
      label: title,
      note: recipients.map(({ name, email }) => name ?? email).join(', '),
      go: goTo('/messages', { what: 'open', id }),
    })),
    hasAllDocuments: documents?.next === null,
    documents: documents?.documents.map(({ id, name }) => ({
      id: `document-${id}`,
      label: name,
      go: goTo('/documents', { what: 'find', words: name }),
    })),
    contacts: contacts?.map(({ id, name, email }) => ({
      id: `contact-${id}`,
      label: name,
      note: email,
      go: goTo('/contacts', { what: 'find', words: name }),
    })),
  };
}
