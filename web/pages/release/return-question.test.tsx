import { render, screen, waitFor, within } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { App } from '#web/app.tsx';
import { queryClient } from '#web/lib/api/query.ts';
import { longDate } from '#web/lib/format.ts';
import { currentToasts } from '#web/lib/toast.ts';
import {
  daysFromNow,
  holdAnswers,
  idOf,
  ok,
  outcomeOf,
  overview,
  refused,
  type Service,
  sam,
  startVault,
} from '#web/pages/vault/vault.test-world.ts';

const delivered = {
  ...overview,
  state: 'releasing' as const,
  ...outcomeOf([
    {
      messageId: idOf(10),
      title: 'For Nell',
      status: 'accepted',
      deliveredAt: daysFromNow(-3),
      accessedAt: daysFromNow(-2),
    },
    { messageId: idOf(11), title: 'The will', status: 'accepted', deliveredAt: daysFromNow(-3), accessedAt: null },
    { messageId: idOf(12), title: 'The cat', status: 'pending', deliveredAt: null, accessedAt: null },
  ]),
  question: { deliveredAt: daysFromNow(-3), held: 1, goesOnAt: daysFromNow(30) },
};

let service: Service;
beforeEach(() => {
  service = startVault();
  service.answers['GET /api/release'] = ok(delivered);
  service.answers['POST /api/release/answer'] = ok({ ok: true });
});
afterEach(() => {
  service.stop();
  queryClient.clear();
  history.replaceState(null, '', '/');
});

async function open(address = '/') {
  history.replaceState(null, '', address);
  render(<App />);
  await screen.findByRole('heading', { level: 1, name: `Are you ${sam.firstName}?` });
}
const answersSent = () => service.calls.flatMap(({ key, body }) => (key === 'POST /api/release/answer' ? [body] : []));
const press = (name: RegExp) => userEvent.click(screen.getByRole('button', { name }));

describe('A person who signs in after letters have left', () => {
  it.each(['/', '/messages', '/account'])('is asked who they are before anything else, at %s', async (address) => {
    await open(address);
    expect(screen.queryByRole('navigation')).toBeNull();
    expect(screen.getByText(/These letters were delivered on/).textContent).toContain(longDate(daysFromNow(-3)));
    expect(screen.getByText(/1 more letter has not left yet/).textContent).toContain(longDate(daysFromNow(30)));
    const owner = within(screen.getByRole('region', { name: `If you are ${sam.firstName}` }));
    expect(owner.getByText('The letter that nobody has opened is taken back, still closed.')).toBeDefined();
    expect(screen.getAllByRole('button')).toHaveLength(3);
  });

  it('takes back with one press, and comes to their vault', async () => {
    await open('/messages');
    service.answers['GET /api/release'] = ok({ ...delivered, state: 'halted', question: null });
    const answer = holdAnswers();
    await press(/take back what is unopened/);
    answer();
    await screen.findByRole('heading', { level: 1, name: 'Dashboard' });
    expect(answersSent()).toEqual([{ take: 'back' }]);
    expect(await screen.findByRole('heading', { name: 'The release was stopped.' })).toBeDefined();
  });

  it('leaves it so', async () => {
    await open();
    service.answers['GET /api/release'] = ok(overview);
    await press(/leave it so/);
    await screen.findByRole('heading', { name: 'We heard from you 4 days ago.' });
    expect(answersSent()).toEqual([{ take: 'leave' }]);
  });

  it('is signed out if they are not the owner, and sees nothing of the vault any more', async () => {
    await open();
    const nobody = { status: 401, body: { message: 'Please sign in', type: 'UNAUTHENTICATED' } };
    for (const path of ['auth/user', 'user', 'messages', 'release']) service.answers[`GET /api/${path}`] = nobody;
    await press(/^I am not/);
    await screen.findByRole('heading', { name: /Your Digital Legacy/ });
    expect(currentToasts()[0]?.description).toBe('Nothing has changed, and you are signed out.');
    expect(queryClient.getQueryData(['/api/messages']) ?? null).toBeNull();
  });

  it('gets a notice if an answer came from elsewhere meanwhile', async () => {
    await open();
    service.answers['POST /api/release/answer'] = refused(409, 'This has been answered already.');
    service.answers['GET /api/release'] = ok(overview);
    await press(/leave it so/);
    await waitFor(() => expect(currentToasts()[0]?.description).toBe('This has been answered already.'));
    await screen.findByRole('heading', { level: 1, name: 'Dashboard' });
  });
});
