import { QueryClientProvider } from '@tanstack/react-query';
import { render, screen, waitFor } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { afterEach, describe, expect, it } from 'vitest';
import { takeConsoleOutput } from '#tests/support/silence.ts';
import { createQueryClient } from '#web/lib/api/query.ts';
import { readSession, useSession } from '#web/lib/session.ts';
import { currentToasts, dismissToast } from '#web/lib/toast.ts';

const realFetch = globalThis.fetch;
const asked: string[] = [];
type Answers = Record<string, () => Response>;

function answerWith(answers: Answers): void {
  globalThis.fetch = async (url, init) => {
    asked.push(`${init?.method ?? 'GET'} ${url}`);
    const answer = answers[`${init?.method ?? 'GET'} ${url}`];
    if (!answer) throw new TypeError('Failed to fetch');
    return answer();
  };
}

afterEach(() => {
  globalThis.fetch = realFetch;
  asked.length = 0;
  localStorage.clear();
  for (const { id } of currentToasts()) dismissToast(id);
});

const json =
  (body: unknown, status = 200) =>
  () =>
    new Response(JSON.stringify(body), { status, headers: { 'content-type': 'application/json' } });
const sam = { id: '1', email: 'sam@ashworth.example', emailVerified: true };

function Who() {
  const { user, isLoading, isVerified, signOut } = useSession();
  if (isLoading) return <p>Asking</p>;
  return (
    <>
      <p>{user ? `${user.email} ${isVerified ? 'verified' : 'unverified'}` : 'Nobody'}</p>
      <button type="button" onClick={signOut}>
        Log out
      </button>
    </>
  );
}

const show = () =>
  render(
    <QueryClientProvider client={createQueryClient()}>
      <Who />
    </QueryClientProvider>,
  );

describe('the session', () => {
  it('is asked when the page loads, and again when its tab comes back into view', async () => {
    answerWith({ 'GET /api/auth/user': json(sam) });
    show();
    expect(await screen.findByText('sam@ashworth.example verified')).toBeTruthy();
    expect(asked).toEqual(['GET /api/auth/user']);
    document.dispatchEvent(new Event('visibilitychange'));
    window.dispatchEvent(new Event('visibilitychange'));
    await waitFor(() => expect(asked.length).toBe(2));
  });

  it('is asked at the second address where the first one fails', async () => {
    answerWith({ 'GET /api/auth/user': json({ message: 'No' }, 500), 'GET /api/user': json(sam) });
    show();
    expect(await screen.findByText('sam@ashworth.example verified')).toBeTruthy();
    expect(asked).toEqual(['GET /api/auth/user', 'GET /api/user']);
  });

  it('is null, and logged, if both fail', async () => {
    answerWith({});
    show();
    expect(await screen.findByText('Nobody')).toBeTruthy();
    expect(takeConsoleOutput().join()).toContain('The session could not be read.');
  });

  it('is null for a visitor, silently', async () => {
    answerWith({ 'GET /api/auth/user': json({ message: 'Sign in' }, 401), 'GET /api/user': json({}, 401) });
    show();
    expect(await screen.findByText('Nobody')).toBeTruthy();
  });
});

describe('a session that ends by itself', () => {
  it('leaves the drafts of its person, who finds them when they sign in again', async () => {
    answerWith({ 'GET /api/auth/user': json(sam) });
    await readSession();
    localStorage.setItem('draft:contact:new', '{"name":"Priya"}');
    answerWith({ 'GET /api/auth/user': json({ message: 'Sign in' }, 401), 'GET /api/user': json({}, 401) });
    expect(await readSession()).toBeNull();
    expect(localStorage.getItem('draft:contact:new')).toContain('Priya');
    answerWith({ 'GET /api/auth/user': json(sam) });
    await readSession();
    expect(localStorage.getItem('draft:contact:new')).toContain('Priya');
    answerWith({ 'GET /api/auth/user': json({ ...sam, id: '2' }) });
    await readSession();
    expect(localStorage.getItem('draft:contact:new')).toBeNull();
  });
});

describe('signing out', () => {
  it('says so, forgets the person and their drafts', async () => {
    answerWith({ 'GET /api/auth/user': json(sam), 'POST /api/logout': json({ ok: true }) });
    localStorage.setItem('draft:contact:new', '{"name":"Priya"}');
    localStorage.setItem('theme', 'dark');
    show();
    await userEvent.click(await screen.findByRole('button', { name: 'Log out' }));
    expect(await screen.findByText('Nobody')).toBeTruthy();
    expect(currentToasts()).toMatchObject([{ title: 'Success', description: 'Logged out successfully' }]);
    expect(Object.keys(localStorage)).toEqual(['theme']);
  });

  it('that fails leaves the person signed in and says so', async () => {
    answerWith({ 'GET /api/auth/user': json(sam), 'POST /api/logout': json({ message: 'No' }, 500) });
    show();
    await userEvent.click(await screen.findByRole('button', { name: 'Log out' }));
    await waitFor(() => expect(currentToasts()).toMatchObject([{ title: 'Error', description: 'Failed to logout' }]));
    expect(screen.getByText('sam@ashworth.example verified')).toBeTruthy();
  });
});
