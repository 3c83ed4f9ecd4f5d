import { describe, expect, test } from 'vitest';
import { createHanCount, hanFormsOf, sampleLength } from './han-forms.ts';

describe('the Han forms of a text', () => {
  test.each([
    ['with kana are Japanese', '親愛なるネルへ', 'japanese'],
    ['in Simplified Chinese are Chinese', '亲爱的妈妈：谢谢你一直以来的照顾。', 'chinese'],
    ['in Traditional Chinese are Chinese', '親愛的爸爸：鎖匙喺廚房櫃桶入面。', 'chinese'],
    ['with a character that only Japan writes are Japanese', '生命保険証書', 'japanese'],
    ['with a character made in Japan are Japanese', '畑', 'japanese'],
    ['with a name of the extended Japanese set are Japanese', '髙橋', 'japanese'],
    ['that only the Japanese set has as a whole are Japanese', '東区', 'japanese'],
    ['in Chinese with a fashionable kana are Chinese', '鲜の每日', 'chinese'],
    ['with Bopomofo are Chinese', '直ㄓ', 'chinese'],
    ['that both languages write are unknown', '田中健太', null],
    ['that both languages have in one set are unknown', '愛子', null],
    ['of one sign of each language are unknown', '気们', null],
    ['in rare characters are unknown', '𠀀', null],
    ['without Han characters are unknown', 'Dear Nell', null],
  ] as const)('%s', (_, text, forms) => {
    expect(hanFormsOf([text])).toBe(forms);
  });

  test('are those of most texts together', () => {
    expect(hanFormsOf(['遺言書', '母より'])).toBe('japanese');
    expect(hanFormsOf(['気', '亲爱的妈妈'])).toBe('chinese');
    expect(hanFormsOf([])).toBeNull();
  });

  test('are known from the start of a long text', () => {
    const count = createHanCount();
    count.add(`${'直'.repeat(sampleLength)}かな`);
    expect(count.forms()).toBeNull();
  });
});
