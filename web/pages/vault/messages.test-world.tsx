import { screen } from '@testing-library/react';
import { MessagesPage } from './messages.tsx';
import { daysFromNow, idOf, messageOf, ok, openPage, type Service, startVault } from './vault.test-world.ts';

export const nell = messageOf();
export const will = messageOf({
  id: idOf(11),
  title: 'The will',
  content: 'In the safe. '.repeat(40),
  recipientEmail: 'law@post.example',
  category: 'legal',
  status: 'draft',
  createdAt: daysFromNow(-20),
});
export const cat = messageOf({
  id: idOf(12),
  title: 'The cat',
  category: 'instructions',
  status: 'delivered',
  deliveredAt: daysFromNow(-1),
  createdAt: daysFromNow(-65),
});

/** A service whose owner has one message of each state. */
export function startMessages(): Service {
  const service = startVault();
  service.answers['GET /api/messages'] = ok([nell, will, cat]);
  return service;
}

export const openAtOnce = () => openPage(MessagesPage, { route: '/messages', at: '/messages' });

/** Opens the page and waits for its list. */
export async function open() {
  const opened = openAtOnce();
  await screen.findByRole('heading', { name: /^\d+ Messages?$/ });
  return opened;
}
