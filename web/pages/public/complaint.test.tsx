import { screen, waitFor } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { pasteInto } from '#tests/support/paste-into.ts';
// The page loads these rules on first use. Here they are loaded before, so that a press is judged at once on a busy machine too.
import '#web/features/privacy/complaint-check.ts';
import { ok, openPage, type Service, sam, startVault } from '#web/pages/vault/vault.test-world.ts';
import { ComplaintPage } from './complaint.tsx';

const send = 'POST /api/complaints';
const received = { message: 'We have your complaint.', reference: 'EK-1A2B3C4D' };
const words = 'You wrote to my old address again.';

let service: Service;
beforeEach(() => {
  service = startVault();
  service.answers[send] = { status: 202, body: received };
  service.answers['GET /api/auth/user'] = { status: 401, body: {} };
});
afterEach(() => service.stop());

async function open() {
  openPage(ComplaintPage, { route: '/complaint', at: '/complaint' });
  await screen.findByLabelText('What is wrong *');
}
const field = (label: string) => screen.getByLabelText<HTMLInputElement>(label);
const press = () => userEvent.dblClick(screen.getByRole('button', { name: 'Send the complaint' }));
const sent = () => service.calls.filter(({ key }) => key === send).map(({ body }) => body);

describe('The complaint form', () => {
  it('needs no account, is sent once, and gives the reference', async () => {
    await open();
    await pasteInto(field('Your name *'), 'Nell Ames');
    await pasteInto(field('Your email *'), 'nell@family.example');
    await pasteInto(field('What is wrong *'), words);
    await press();
    expect(await screen.findByRole('heading', { level: 1, name: 'We have your complaint' })).toBeDefined();
    expect(screen.getByText('EK-1A2B3C4D')).toBeDefined();
    expect(screen.getByText(/within 30 days that we have it/)).toBeDefined();
    expect(sent()).toEqual([{ name: 'Nell Ames', email: 'nell@family.example', words }]);
  });

  it('knows who is signed in', async () => {
    service.answers['GET /api/auth/user'] = ok(sam);
    await open();
    expect([field('Your name *').value, field('Your email *').value]).toEqual(['Sam Ashworth', sam.email]);
  });

  it('names the missing value beside each field, and sends nothing', async () => {
    await open();
    await userEvent.type(field('What is wrong *'), 'Bad');
    await press();
    expect(await screen.findByText('Please enter your name')).toBeDefined();
    expect(screen.getByText('Please enter a valid email address')).toBeDefined();
    expect(screen.getByText('Please tell us what is wrong (at least 10 characters)')).toBeDefined();
    await waitFor(() => expect(document.title).toMatch(/^Error: /));
    expect(sent()).toEqual([]);
  });

  it.each([
    [{ status: 429, body: { message: 'That was a lot of tries.', type: 'RATE_LIMITED' } }, 'That was a lot of tries.'],
    [{ status: 500, body: {} }, /could not be sent. What you typed is still here/],
    [{ status: 200, body: { status: 'ok' } }, 'We can’t tell whether this was saved. Your words are still here.'],
  ])('keeps the typed text after a failure, and says why', async (answer, sentence) => {
    service.answers['GET /api/auth/user'] = ok(sam);
    service.answers[send] = answer;
    await open();
    await pasteInto(field('What is wrong *'), words);
    await press();
    await waitFor(() => expect(screen.getByRole('alert').textContent).toMatch(sentence));
    expect(field('What is wrong *').value).toBe(words);
  });
});
