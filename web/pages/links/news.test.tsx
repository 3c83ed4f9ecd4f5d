import { screen } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openPage, type Service, startService } from '#web/pages/pages.test-world.tsx';
import { NewsPage } from './news.tsx';

const token = 'n'.repeat(43);
const read = `GET /api/news/${token}`;
const choose = `POST /api/news/${token}`;
const email = 's…@ashworth.example';

let service: Service;
beforeEach(() => {
  service = startService();
  service.answers[read] = { status: 200, body: { email, wantsNews: true } };
});
afterEach(() => service.stop());

const open = () => openPage(NewsPage, { route: '/news/:token', at: `/news/${token}` });
const heading = (name: string) => screen.findByRole('heading', { level: 1, name });

describe('the link at the foot of news', () => {
  it('changes nothing by being opened', async () => {
    open();
    expect(await heading('Stop the news?')).toBeTruthy();
    expect(screen.getByText(email)).toBeTruthy();
    expect(service.calls.map(({ key }) => key)).toEqual([read]);
  });

  it('stops them with one press, and begins them again with another', async () => {
    service.answers[choose] = { status: 200, body: { email, wantsNews: false } };
    open();
    await userEvent.dblClick(await screen.findByRole('button', { name: 'Stop the news' }));
    expect(await heading('You get no more news')).toBeTruthy();
    service.answers[choose] = { status: 200, body: { email, wantsNews: true } };
    await userEvent.click(screen.getByRole('button', { name: 'Send me the news again' }));
    expect(await heading('Stop the news?')).toBeTruthy();
    expect(service.calls.filter(({ key }) => key === choose).map(({ body }) => body)).toEqual([
      { wantsNews: false },
      { wantsNews: true },
    ]);
  });

  it('can be pressed again where the service was not reached', async () => {
    service.answers[choose] = 'unreachable';
    open();
    await userEvent.click(await screen.findByRole('button', { name: 'Stop the news' }));
    expect((await screen.findByRole('alert')).textContent).toContain('We could not reach Everkept');
    expect(screen.getByRole('button', { name: 'Stop the news' })).toBeTruthy();
  });

  it('says so where it is unknown', async () => {
    service.answers[read] = { status: 404, body: { message: 'We do not know this link.', type: 'NOT_FOUND' } };
    open();
    expect(await heading('We do not know this link')).toBeTruthy();
  });
});
