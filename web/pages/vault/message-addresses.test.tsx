import { screen, waitFor } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { expect, it } from 'vitest';
import { currentToasts } from '#web/lib/toast.ts';
import { open, startMessages } from './messages.test-world.tsx';
import { ok } from './vault.test-world.ts';

it('asks whether addresses are still right, and hears that one is', async () => {
  const service = startMessages();
  const since = '2025-03-02T10:00:00.000Z';
  service.answers['GET /api/messages/addresses'] = ok([
    { email: 'nell@post.example', name: 'Nell', since },
    { email: 'tom@post.example', name: null, since },
  ]);
  service.answers['POST /api/messages/addresses/confirm'] = ok({ ok: true });
  await open();
  expect(await screen.findByText('Are these addresses still right?')).toBeDefined();
  expect(screen.getByText(/Nell, nell@post\.example/).textContent).toContain('as of 2 March 2025');
  await userEvent.click(screen.getByRole('button', { name: 'Still right: nell@post.example' }));
  await waitFor(() => expect(currentToasts()[0]?.title).toBe('Thank You'));
  const confirmed = service.calls.find(({ key }) => key === 'POST /api/messages/addresses/confirm');
  expect(confirmed?.body).toEqual({ email: 'nell@post.example' });
  service.stop();
});
