import { cleanup, render, screen } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Service, startService } from '#web/pages/pages.test-world.tsx';
import { Root } from '#web/root.tsx';

const token = 'a'.repeat(43);
const read = `GET /api/message-delivery/${token}`;

let service: Service;
beforeEach(() => {
  service = startService();
});
afterEach(() => {
  // Before the service is gone, so that nothing asks for it any more.
  cleanup();
  service.stop();
  history.replaceState(null, '', '/');
});

describe('a page behind a link', () => {
  it('loads the page behind the link, and nothing else', async () => {
    history.replaceState(null, '', `/message/${token}`);
    service.answers[read] = {
      status: 200,
      body: {
        title: 'For Nell',
        content: 'Dear Nell',
        createdAt: '2026-03-02T10:00:00.000Z',
        deliveredAt: '2026-09-10T09:00:00.000Z',
        expiresAt: '2026-10-10T09:00:00.000Z',
        senderName: 'Sam Ashworth',
        recipientName: null,
        openedAt: null,
        isDamaged: false,
        attachment: null,
        letters: [],
        all: { letters: 0, opened: 0 },
        enclosures: [],
        alsoFor: [],
      },
    };
    render(<Root />);
    expect(await screen.findByRole('heading', { level: 1, name: /Sam Ashworth/ })).toBeTruthy();
    expect(new Set(service.calls.map(({ key }) => key))).toEqual(new Set([read]));
  });

  it('asks for nothing at all where nothing is behind it', async () => {
    history.replaceState(null, '', '/trusted-contact-demo');
    render(<Root />);
    expect(await screen.findByText('This is a demonstration.')).toBeTruthy();
    expect(service.calls).toEqual([]);
  });
});

describe('any other page', () => {
  it('asks who is signed in', async () => {
    history.replaceState(null, '', '/faq');
    service.answers['GET /api/auth/user'] = {
      status: 401,
      body: { message: 'Sign in first.', type: 'UNAUTHENTICATED' },
    };
    render(<Root />);
    expect(await screen.findByRole('heading', { level: 1, name: 'Frequently asked questions' })).toBeTruthy();
    expect(screen.getByRole('link', { name: 'Create Account' })).toBeTruthy();
    expect(service.count('GET /api/auth/user')).toBeGreaterThan(0);
  });
});
