import { screen, waitFor } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { writingQuestions } from '#shared/rules/letters/writing-questions.ts';
import { currentToasts } from '#web/lib/toast.ts';
import { open, startMessages } from './messages.test-world.tsx';
import { MessagesPage } from './messages.tsx';
import { daysFromNow, ok, openPage, type Service } from './vault.test-world.ts';

const path = '/api/user/writing-questions';

let service: Service;
beforeEach(() => {
  service = startMessages();
});
afterEach(() => service.stop());

const button = (name: string) => screen.getByRole('button', { name });
const content = () => screen.getByLabelText<HTMLTextAreaElement>('Message Content *');

describe('A question a month', () => {
  it('is asked for with one press, and stopped with another', async () => {
    await open();
    service.answers[`PUT ${path}`] = ok({ isWanted: true, nextAt: daysFromNow(30) });
    service.answers[`GET ${path}`] = ok({ isWanted: true, nextAt: daysFromNow(30) });
    await userEvent.click(await screen.findByRole('button', { name: 'Send me one each month' }));
    await waitFor(() => expect(currentToasts()[0]?.title).toBe('A Question a Month'));
    expect(service.calls.find(({ key }) => key === `PUT ${path}`)?.body).toEqual({ isWanted: true });
    expect(await screen.findByText(/You get one by email\. The next comes on/)).toBeDefined();
    service.answers[`PUT ${path}`] = ok({ isWanted: false, nextAt: null });
    await userEvent.click(button('Stop the questions'));
    await waitFor(() => expect(currentToasts()[0]?.title).toBe('No More Questions'));
  });

  it('opens a new letter from its mail, and begins it where its writer wants that', async () => {
    openPage(MessagesPage, { route: '/messages', at: '/messages?question=1' });
    expect(await screen.findByText(writingQuestions[1].question, { selector: '.asked span' })).toBeDefined();
    await userEvent.click(button('Begin with it'));
    expect(content().value).toBe(writingQuestions[1].opening);
    expect(screen.queryByText(writingQuestions[1].question, { selector: '.asked span' })).toBeNull();
  });

  it.each(['99', '-1', 'x', ''])('takes no notice of the number “%s”', async (number) => {
    openPage(MessagesPage, { route: '/messages', at: `/messages?question=${number}` });
    await screen.findByRole('heading', { name: /^\d+ Messages?$/ });
    expect(screen.queryByLabelText('Message Content *')).toBeNull();
  });
});
