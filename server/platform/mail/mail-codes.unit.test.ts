import { describe, expect, test } from 'vitest';
import { refusalSentences, type Said } from '#tests/support/refusal-sentences.ts';
import { type RecipientReply, type RefusedAt, saysMailboxIsClosed, speaksOfMailbox } from './mail-codes.ts';

function replyOf(sentence: string): RecipientReply {
  const [, code = '', enhanced] = /^(\d{3})[ -](?:(\d\.\d{1,3}\.\d{1,3})\b)?/.exec(sentence) ?? [];
  return { replyCode: Number(code), enhanced, words: sentence };
}

function saidBy(reply: RecipientReply, at: RefusedAt): Said {
  if (saysMailboxIsClosed(reply, at)) return 'no_mailbox';
  return speaksOfMailbox(reply, at) ? 'full' : 'trouble';
}

describe('a permanent refusal', () => {
  test.each(refusalSentences)('the code %s (%s) with the words “%s” means %s', (_, at, sentence, said) => {
    expect(saidBy(replyOf(sentence), at)).toBe(said);
  });

  test.each(['5.1.0', '5.1.1', '5.1.2', '5.1.3', '5.1.6', '5.1.10', '5.2.0', '5.2.1', '5.4.1', '5.4.4', '5.5.0'])(
    'with code %s speaks of the mailbox, in an answer and in a report, unless its words are of policy',
    (enhanced) => {
      for (const at of ['rcpt', 'report'] as const) {
        expect(saidBy({ replyCode: 550, enhanced }, at)).toBe('no_mailbox');
        for (const words of [
          'blocked',
          'looks like spam',
          'poor reputation',
          'rate limit',
          'authentication required',
        ]) {
          expect(saidBy({ replyCode: 550, enhanced, words }, at), words).toBe('trouble');
        }
      }
    },
  );

  test.each([511, 550, 551, 553, 554])('with %i alone, or with x.0.0, speaks of the mailbox if RCPT got it', (code) => {
    for (const enhanced of [undefined, '5.0.0']) {
      expect(saidBy({ replyCode: code, enhanced }, 'rcpt')).toBe('no_mailbox');
      expect(saidBy({ replyCode: code, enhanced }, 'data')).toBe('trouble');
      expect(saidBy({ replyCode: code, enhanced, words: `${code} User unknown` }, 'data')).toBe('no_mailbox');
    }
  });

  test('with any code of policy is trouble, whatever its words', () => {
    for (const enhanced of ['5.7.0', '5.7.1', '5.7.26', '5.7.606']) {
      expect(saidBy({ replyCode: 550, enhanced, words: 'User unknown' }, 'rcpt')).toBe('trouble');
    }
  });
});

describe('a temporary refusal', () => {
  test.each([
    [450, '450 Requested mail action not taken: mailbox unavailable', 'full'],
    [452, '452 Requested action not taken: insufficient system storage', 'full'],
    [451, '451 Requested action aborted: local error in processing', 'trouble'],
    [451, '451 Temporary local problem, please try later', 'trouble'],
    [451, '451 The mailbox is full, please try later', 'full'],
    [421, '421 Service not available, closing transmission channel', 'trouble'],
  ])('with %i alone in the words “%s” says %s', (_, sentence, said) => {
    expect(saidBy(replyOf(sentence), 'rcpt')).toBe(said);
  });
});
