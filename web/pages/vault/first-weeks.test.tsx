import { screen, waitFor, within } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type FirstWeeks, neverSaved, type FirstWeeksPage as Page } from '#shared/contract/vault/first-weeks.ts';
import { noFirstWeeksNotes } from '#shared/rules/first-weeks/notes.ts';
import { PortalFirstWeeksPage } from '#web/pages/links/portal-first-weeks.tsx';
import { FirstWeeksPage } from './first-weeks.tsx';
import { FirstWeeksNotesPage } from './first-weeks-notes.tsx';
import { contactOf, daysFromNow, idOf, ok, openPage, refused, type Service, startVault } from './vault.test-world.ts';

const notes: FirstWeeks = {
  ...noFirstWeeksNotes,
  ...{ nation: 'scotland', will: 'In the safe', version: idOf(70), updatedAt: daysFromNow(-2) },
};
const page: Page = {
  ownerFirstName: 'Sam',
  updatedAt: daysFromNow(-2),
  parts: [
    {
      title: 'The first week',
      steps: [
        {
          title: 'Register the death',
          where: 'Scotland',
          words: ['Register within 8 days.'],
          list: ['birth certificate'],
          notes: [{ label: 'Where the will is', words: 'In the safe' }],
          sources: [
            { title: 'NRS', url: 'https://www.nrscotland.gov.uk', checkedOn: '2026-11-22', comparedWith: 'others' },
          ],
        },
      ],
    },
  ],
};
const put = 'PUT /api/first-weeks';

let service: Service;
beforeEach(() => {
  service = startVault();
  service.answers['GET /api/first-weeks'] = ok(notes);
  service.answers['GET /api/first-weeks/page'] = ok(page);
  service.answers['GET /api/trusted-contacts'] = ok([contactOf({ seesFirstWeeks: true })]);
});
afterEach(() => service.stop());

const openNotes = async () => {
  openPage(FirstWeeksNotesPage, { route: '/first-weeks/notes', at: '/first-weeks/notes' });
  return await screen.findByLabelText<HTMLTextAreaElement>('Where the will is');
};
const save = () => userEvent.click(screen.getByRole('button', { name: 'Save the notes' }));
const bodies = () => service.calls.filter(({ key }) => key === put).map(({ body }) => body as Partial<FirstWeeks>);

describe('the notes for the first weeks', () => {
  it('show the saved words, ask for no passwords, and are saved together with their version', async () => {
    service.answers[put] = ok({ ...notes, will: 'In the drawer', version: idOf(71) });
    const field = await openNotes();
    expect(field.value).toBe('In the safe');
    expect(screen.getByText(/Leave out passwords and PINs/)).toBeDefined();
    await userEvent.clear(field);
    await userEvent.type(field, 'In the drawer');
    await userEvent.selectOptions(screen.getByLabelText('Whose law to show'), 'Show all of them');
    await save();
    await waitFor(() => expect(bodies()).toHaveLength(1));
    expect(bodies()[0]).toMatchObject({ will: 'In the drawer', nation: null, pets: null, version: notes.version });
  });

  it('are new with the version of notes that were never saved', async () => {
    service.answers['GET /api/first-weeks'] = ok({ ...noFirstWeeksNotes, version: neverSaved, updatedAt: null });
    service.answers[put] = ok(notes);
    await userEvent.type(await openNotes(), 'In the safe');
    await save();
    await waitFor(() => expect(bodies()[0]).toMatchObject({ will: 'In the safe', version: neverSaved }));
  });

  it('show both versions if another window has saved, and go on with the chosen one', async () => {
    const stored = { ...notes, will: 'At the bank', version: idOf(72), updatedAt: daysFromNow(0) };
    service.answers[put] = refused(409, 'Changed elsewhere.', { type: 'CHANGED_ELSEWHERE', stored });
    const field = await openNotes();
    await userEvent.type(field, ' upstairs');
    await save();
    await screen.findByRole('heading', { name: /These notes were changed in another window/ });
    const [mine, other] = screen.getAllByRole('article');
    expect(within(mine as HTMLElement).getByText('In the safe upstairs')).toBeDefined();
    expect(within(other as HTMLElement).getByText('At the bank')).toBeDefined();
    await userEvent.click(within(mine as HTMLElement).getByRole('button'));
    service.answers[put] = ok({ ...stored, will: 'In the safe upstairs', version: idOf(73) });
    await save();
    await waitFor(() =>
      expect(bodies().at(-1)).toMatchObject({ will: 'In the safe upstairs', version: stored.version }),
    );
  });

  it('take the other version if it is chosen', async () => {
    const stored = { ...notes, will: 'At the bank', version: idOf(72), updatedAt: daysFromNow(0) };
    service.answers[put] = refused(409, 'Changed elsewhere.', { type: 'CHANGED_ELSEWHERE', stored });
    await userEvent.type(await openNotes(), ' upstairs');
    await save();
    await screen.findByRole('heading', { name: /These notes were changed in another window/ });
    await userEvent.click(within(screen.getAllByRole('article')[1] as HTMLElement).getByRole('button'));
    await waitFor(() =>
      expect(screen.getByLabelText<HTMLTextAreaElement>('Where the will is').value).toBe('At the bank'),
    );
  });

  it('keep typed words if the answer of the save is unclear', async () => {
    service.answers[put] = { status: 502, body: 'A proxy' };
    const field = await openNotes();
    await userEvent.type(field, ' upstairs');
    await save();
    expect(await screen.findByText('We can’t tell whether this was saved. Your words are still here.')).toBeDefined();
    expect(field.value).toBe('In the safe upstairs');
  });
});

describe('the page for the first weeks', () => {
  it('says who sees it, has the notes in their places, and offers the sheet', async () => {
    openPage(FirstWeeksPage, { route: '/first-weeks', at: '/first-weeks' });
    expect(await screen.findByRole('heading', { name: 'Register the death, Scotland' })).toBeDefined();
    expect(screen.getByText('In the safe')).toBeDefined();
    expect((await screen.findByText('Priya Shah')).parentElement?.textContent).toContain('can read and save this page');
    expect(screen.getByText(/compared with what others write of it on 22 November 2026/)).toBeDefined();
    const sheet = screen.getByRole('link', { name: 'Make the sheet (PDF)' });
    expect(sheet.getAttribute('href')).toBe('/api/sheet.pdf');
    expect(screen.getByText(/no titles, no passwords and no links that open anything/)).toBeDefined();
  });

  it('is the same for a contact, with its PDF', async () => {
    const token = 'b'.repeat(43);
    service.answers[`GET /api/trusted-contact-admin/${token}/first-weeks`] = ok({ ...page, contactName: 'Priya Shah' });
    const route = '/trusted-contact-admin/:token/first-weeks';
    openPage(PortalFirstWeeksPage, { route, at: `/trusted-contact-admin/${token}/first-weeks` });
    expect(await screen.findByRole('heading', { name: 'Register the death, Scotland' })).toBeDefined();
    expect(screen.getByText('In the safe')).toBeDefined();
    const pdf = screen.getByRole('link', { name: 'Save as PDF' });
    expect(pdf.getAttribute('href')).toBe(`/api/trusted-contact-admin/${token}/first-weeks.pdf`);
  });

  it('is not there for a contact before the release', async () => {
    const token = 'b'.repeat(43);
    service.answers[`GET /api/trusted-contact-admin/${token}/first-weeks`] = refused(404, 'Not found', {
      type: 'NOT_FOUND',
    });
    const route = '/trusted-contact-admin/:token/first-weeks';
    openPage(PortalFirstWeeksPage, { route, at: `/trusted-contact-admin/${token}/first-weeks` });
    expect(await screen.findByText('This page is not here any more, or not yet')).toBeDefined();
  });
});
