import { screen, waitFor } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { pasteInto } from '#tests/support/paste-into.ts';
// The page loads these rules on first use. Here they are loaded before, so that a press is judged at once on a busy machine too.
import '#web/features/emergency/emergency-check.ts';
import { openPage, type Service, startService } from '#web/pages/pages.test-world.tsx';
import { EmergencyActivationPage } from './emergency-activation.tsx';

const send = 'POST /api/emergency-activate';
const said = 'If these details match a registered trusted contact, they now get an email with a link.';
const request = {
  userEmail: 'sam@ashworth.example',
  contactEmail: 'priya@post.example',
  contactName: 'Priya Shah',
  reason: 'Sam had an accident on Friday.',
};

let service: Service;
beforeEach(() => {
  service = startService();
  service.answers[send] = { status: 202, body: { message: said } };
  openPage(EmergencyActivationPage, { route: '/emergency-activation', at: '/emergency-activation' });
});
afterEach(() => service.stop());

const field = (label: string) => screen.getByLabelText(label) as HTMLInputElement;
const press = () => userEvent.click(screen.getByRole('button', { name: 'Send the request' }));

async function fill(given: Partial<typeof request> = {}) {
  const { userEmail, contactEmail, contactName, reason } = { ...request, ...given };
  await pasteInto(field('Account holder’s email *'), userEmail);
  await pasteInto(field('Your email *'), contactEmail);
  await pasteInto(field('Your full name *'), contactName);
  await pasteInto(field('Reason *'), reason);
}

describe('The emergency form', () => {
  it('says which address must be given', () => {
    expect(screen.getByText(/Must match the registered trusted-contact email/)).toBeDefined();
  });

  it('names whom to call after a death, in Scotland as well', () => {
    const lines = [...document.querySelectorAll('a[href^="tel:"]')].map((line) => line.getAttribute('href'));
    expect(lines).toEqual(['tel:08088081677', 'tel:08088026161']);
    expect(screen.getByText(/In Scotland, it is Cruse Scotland/)).toBeTruthy();
  });

  it('names faults in its own sentences, and sends nothing', async () => {
    await fill({ userEmail: 'sam', contactEmail: 'priya', contactName: 'P', reason: 'Too short' });
    await press();
    expect(await screen.findAllByText('Please enter a valid email address')).toHaveLength(2);
    expect(screen.getByText('Please enter your full name')).toBeDefined();
    expect(screen.getByText('Please provide a detailed reason (at least 10 characters)')).toBeDefined();
    expect(service.calls).toEqual([]);
    await waitFor(() => expect(document.title).toMatch(/^Error: /));
  });

  it('sends the request once, and shows what the service says to everybody', async () => {
    await fill();
    await userEvent.dblClick(screen.getByRole('button', { name: 'Send the request' }));
    expect(
      await screen.findByRole('heading', { level: 1, name: 'Emergency Activation Request Submitted' }),
    ).toBeDefined();
    expect(screen.getByRole('status').textContent).toBe(said);
    expect(service.calls).toEqual([{ key: send, body: request }]);
    await waitFor(() => expect(document.title).toContain('Emergency Activation Request Submitted'));
  });

  it.each([
    [{ status: 429, body: { message: 'That was a lot of tries.', type: 'RATE_LIMITED' } }, 'That was a lot of tries.'],
    [{ status: 500, body: {} }, 'Failed to submit emergency activation request'],
    ['unreachable' as const, /Failed to submit emergency activation request/],
  ])('shows the failure and keeps the typed text: %j', async (answer, words) => {
    service.answers[send] = answer;
    await fill();
    await press();
    await waitFor(() => expect(screen.getByRole('alert').textContent).toMatch(words));
    expect(field('Reason *').value).toBe(request.reason);
  });

  it('says that it did not expect what happened, where it did not', async () => {
    globalThis.fetch = async () => new Response('not JSON', { headers: { 'content-type': 'application/json' } });
    await fill();
    await press();
    await waitFor(() =>
      expect(screen.getByRole('alert').textContent).toBe(
        'An unexpected error occurred. We can’t tell whether this was saved. Your words are still here.',
      ),
    );
  });

  it('puts what the service found wrong beside its field', async () => {
    const issue = { path: 'contactEmail', message: 'Please enter a valid email address' };
    service.answers[send] = { status: 400, body: { message: issue.message, type: 'VALIDATION', issues: [issue] } };
    await fill();
    await press();
    await waitFor(() => expect(field('Your email *').getAttribute('aria-invalid')).toBe('true'));
  });
});
