import { QueryClientProvider } from '@tanstack/react-query';
import { act, render, screen, waitFor, within } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { documentCategories, messageCategories } from '#shared/rules/categories.ts';
import { damagedTitle } from '#shared/rules/damaged.ts';
import { Icon, type IconName } from '#web/components/ui/icon.tsx';
import { createQueryClient } from '#web/lib/api/query.ts';
import { ContactsPage } from './contacts.tsx';
import { DashboardPage } from './dashboard.tsx';
import { DocumentsPage } from './documents.tsx';
import { MessagesPage } from './messages.tsx';
import {
  daysFromNow,
  idOf,
  messageOf,
  ok,
  openPage,
  type Service,
  sam,
  startVault,
  stats,
} from './vault.test-world.ts';

let service: Service;
beforeEach(() => {
  service = startVault();
  service.answers['GET /api/documents'] = ok([]);
});
afterEach(() => service.stop());

/** The drawing of an icon, as it stands on a page. */
function drawingOf(name: IconName): string {
  const { container, unmount } = render(<Icon name={name} />);
  const drawing = container.querySelector('svg')?.innerHTML ?? '';
  unmount();
  return drawing;
}

/** The drawing of the first icon in the entry under this title. */
function iconAt(title: string): string | undefined {
  return screen.getByRole('heading', { level: 3, name: title }).closest('li')?.querySelector('svg.ic')?.innerHTML;
}

describe('The title', () => {
  it('the heading of the messages is Messages', async () => {
    openPage(MessagesPage, { route: '/messages', at: '/messages' });
    expect(screen.getByRole('heading', { level: 1, name: 'Messages' })).toBeDefined();
    await screen.findByRole('heading', { name: '1 Message' });
  });

  it('the heading of the documents is Documents', async () => {
    openPage(DocumentsPage, { route: '/documents', at: '/documents' });
    expect(await screen.findByRole('heading', { level: 1, name: 'Documents' })).toBeDefined();
    await screen.findByText('No documents yet');
  });
});

describe('The icon of a category', () => {
  it('stands at every message', async () => {
    const icons = {
      personal: 'letter',
      family: 'letter',
      legal: 'scales',
      financial: 'coins',
      instructions: 'list',
    } as const;
    const messages = messageCategories.map((category, index) =>
      messageOf({ id: idOf(40 + index), title: `About ${category}`, category }),
    );
    service.answers['GET /api/messages'] = ok(messages);
    openPage(MessagesPage, { route: '/messages', at: '/messages' });
    await screen.findByRole('heading', { name: `${messages.length} Messages` });
    const shown = messages.map(({ title }) => iconAt(title));
    expect(shown).toEqual(messageCategories.map((category) => drawingOf(icons[category])));
  });

  it('stands at every document', async () => {
    const icons = {
      personal: 'person',
      legal: 'scales',
      financial: 'coins',
      medical: 'cross',
      property: 'house',
      business: 'case',
      other: 'file',
    } as const;
    const documents = documentCategories.map((category, index) => ({
      id: idOf(60 + index),
      name: `About ${category}`,
      category,
      description: null,
      fileName: `${category}.pdf`,
      fileSize: 812,
      mimeType: 'application/pdf',
      visibleToTrustedContact: false,
      createdAt: daysFromNow(-3),
      updatedAt: daysFromNow(-3),
    }));
    service.answers['GET /api/documents'] = ok(documents);
    openPage(DocumentsPage, { route: '/documents', at: '/documents' });
    await screen.findByRole('heading', { name: `${documents.length} Documents` });
    const shown = documents.map(({ name }) => iconAt(name));
    expect(shown).toEqual(documentCategories.map((category) => drawingOf(icons[category])));
    expect(new Set(shown).size).toBe(documentCategories.length);
  });
});

describe('Damaged data', () => {
  it('stays in the list of documents, with its file and a way to name it again', async () => {
    const times = { createdAt: daysFromNow(-3), updatedAt: daysFromNow(-3) };
    const facts = { category: 'legal', fileName: 'file', fileSize: 812, mimeType: 'application/pdf' } as const;
    const words = { name: damagedTitle, description: null, visibleToTrustedContact: false, isDamaged: true } as const;
    service.answers['GET /api/documents'] = ok([{ id: idOf(60), ...words, ...facts, ...times }]);
    openPage(DocumentsPage, { route: '/documents', at: '/documents' });
    expect(await screen.findByText(/The data stored here is damaged/)).toBeDefined();
    for (const name of ['Edit', 'Delete'])
      expect(screen.getByRole('button', { name: `${name} ${damagedTitle}` })).toBeDefined();
    expect(screen.getByRole('link', { name: `Download ${damagedTitle}` })).toBeDefined();
  });
});

describe('The recipient of a message', () => {
  it('is asked for with a field for email', async () => {
    service.answers['GET /api/messages'] = ok([]);
    openPage(MessagesPage, { route: '/messages', at: '/messages' });
    await userEvent.click(await screen.findByRole('button', { name: 'Create Your First Message' }));
    expect(screen.getByLabelText('Recipient Email *').getAttribute('type')).toBe('email');
  });
});

describe('An address that is not verified', () => {
  it.each([
    ['/', DashboardPage],
    ['/messages', MessagesPage],
    ['/documents', DocumentsPage],
    ['/contacts', ContactsPage],
  ])('is reported at %s, with its purpose', async (path, Page) => {
    service.answers['GET /api/auth/user'] = ok({ ...sam, emailVerified: false });
    openPage(Page, { route: path, at: path });
    const title = await screen.findByText('Email verification required');
    expect(title.parentElement?.textContent).toContain(
      'Verify sam@ashworth.example to edit messages, add trusted contacts, or modify settings.',
    );
    expect(screen.getByRole('button', { name: 'Resend Email' })).toBeDefined();
  });
});

describe('The dashboard', () => {
  it.each([
    ['free', true],
    ['essential', false],
    ['premium', false],
    ['lifetime', false],
  ])('shows the document vault to an owner on the plan %s: %s', async (currentPlan, isShown) => {
    service.answers['GET /api/dashboard/stats'] = ok({ ...stats, currentPlan });
    openPage(DashboardPage, { route: '/', at: '/' });
    await screen.findByRole('heading', { name: 'Quick actions' });
    const teaser = screen.queryByRole('region', { name: 'Document Vault' });
    expect(teaser !== null).toBe(isShown);
    if (teaser) {
      expect(within(teaser).getByRole('link', { name: 'See the plans' }).getAttribute('href')).toBe('/account');
    }
  });

  it('reads its figures and the limits on every visit, and when its tab comes back into view', async () => {
    const client = createQueryClient();
    const visit = () =>
      render(
        <QueryClientProvider client={client}>
          <DashboardPage />
        </QueryClientProvider>,
      );
    const reads = () => [service.count('GET /api/dashboard/stats'), service.count('GET /api/plan-limits')];
    const first = visit();
    await screen.findByRole('heading', { name: 'Message Release Settings' });
    expect(reads()).toEqual([1, 1]);
    first.unmount();
    visit();
    await waitFor(() => expect(reads()).toEqual([2, 2]));
    await screen.findByRole('heading', { name: 'Message Release Settings' });
    await act(async () => void window.dispatchEvent(new Event('visibilitychange')));
    await waitFor(() => expect(reads()).toEqual([3, 3]));
  });
});
