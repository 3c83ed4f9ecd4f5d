import { readFile } from 'node:fs/promises';
import { extractText, getDocumentProxy } from 'unpdf';
import { describe, expect, test } from 'vitest';
import { coverageFile, readCoverage } from '#build/font-coverage.ts';
import { openBook } from './book.ts';
import { isSettable } from './coverage.ts';

/** A page with one text. Returns whether all of it was set, and what a program reads from the page. */
async function set(words: string) {
  const book = await openBook({ title: 'Nell', language: 'en-GB', size: 'A5', contentsPage: null });
  book.begin('Nell', { isPart: false });
  const isWhole = book.write(words);
  book.finish();
  const pdf = await getDocumentProxy(new Uint8Array(Buffer.concat(book.takeBytes())));
  const page = await pdf.getPage(1);
  const { items } = await page.getTextContent();
  const placed = items.flatMap((item) => ('str' in item && item.str.trim() !== '' ? [item] : []));
  const { text } = await extractText(pdf, { mergePages: true });
  return { isWhole, text: text.replace(/\s+/g, ' '), placed, pageWidth: page.view[2] ?? 0 };
}

describe('a text is set whole', () => {
  test.each([
    ['emoji', 'Love you ❤️ xx 👨‍👩‍👧 👍🏽 🇬🇧 1️⃣ 🏴󠁧󠁢󠁳󠁣󠁴󠁿 ♥ ✓'],
    ['Simplified Chinese', '亲爱的妈妈：谢谢你一直以来的照顾。'],
    ['Traditional Chinese', '親愛的爸爸：鎖匙喺廚房櫃桶入面。'],
    ['Japanese', '親愛なるネルへ。引き出しの鍵はルーシーが持っています。'],
    ['Korean', '사랑하는 넬에게, 먼저 주전자를 올려놓고 이 편지를 읽어 주렴.'],
    ['Arabic', 'عزيزتي نيل، ضعي الإبريق على النار أولاً.'],
    ['Urdu', 'پیاری نیل، پہلے چائے کا پانی رکھو۔'],
    ['Persian with a joiner', 'می‌خواهم'],
    ['Hebrew', 'נל היקרה, קודם תרתיחי מים. שָׁלוֹם!'],
    ['Hindi', 'प्रिय नेल, पहले चाय का पानी रख दो। क्षत्रिय, श्री, ज्ञान।'],
    ['Bengali', 'আমার প্রিয় নেল, ক্ষমা করো।'],
    ['Gujarati', 'મારી પ્રિય નેલ, ક્ષમા.'],
    ['Punjabi', 'ਮੇਰੀ ਪਿਆਰੀ ਨੈਲ, ਸ਼੍ਰੀ.'],
    ['Tamil', 'அன்புள்ள நெல், ஸ்ரீ கொடு.'],
    ['Yoruba', 'Ẹ̀kọ́ dára fún ọmọ; Ọlọ́run á bùkún ọ, ẹ̀gbọ́n.'],
    ['Igbo', 'Ị̀ nwèrè ụ́zọ̀ ọ̄ma, ṅụọ mmiri.'],
    ['Ewe and Twi', 'Ɛ́dzɔ dzi, ɔ̀dɔ kɛ́sé, ŋútɔ́.'],
    ['Thai', 'เนลที่รัก ต้มน้ำก่อนแล้วค่อยอ่านจดหมายฉบับนี้นะ'],
  ])('in %s', async (_, words) => {
    expect(isSettable(words)).toBe(true);
    const { isWhole, text } = await set(words);
    expect([isWhole, text.includes('□')]).toEqual([true, false]);
  });

  test('and its letters can be read from the page', async () => {
    const { text } = await set('In English, 你好 then नमस्ते and שלום.');
    expect(text).toContain('In English, 你好 then');
    expect(text).toContain('שלום');
  });
});

test('a family is one glyph, and a flag another', async () => {
  const { placed } = await set('👨‍👩‍👧 🇬🇧');
  const drawn = placed.filter(({ str }) => /\p{Extended_Pictographic}|\p{Regional_Indicator}/u.test(str));
  expect(drawn.map(({ str }) => str.trim())).toEqual(['👨‍👩‍👧', '🇬🇧']);
});

test.each([
  ['Yoruba', 'ẹ̀kọ́'],
  ['Ewe', 'ŋɔ́ɛ̀'],
  ['two accents above', 'ñ̃x̄'],
])('an accent is set with its letter, in one word of one face: %s', async (_, words) => {
  const { placed } = await set(words);
  expect(placed.map(({ str }) => str.normalize('NFC'))).toContain(words.normalize('NFC'));
});

describe('a text from right to left', () => {
  test('stands at the right margin', async () => {
    const { placed, pageWidth } = await set('שלום');
    const word = placed.find(({ str }) => str === 'שלום');
    expect(Math.round((word?.transform[4] ?? 0) + (word?.width ?? 0))).toBe(Math.round(pageWidth - 56));
  });

  test('has its words from right to left, and numbers and Latin words within from left to right', async () => {
    const { placed } = await set('מפתח Smith 42 כאן');
    const xOf = (words: string) => Number(placed.find(({ str }) => str.includes(words))?.transform[4]);
    expect(xOf('מפתח')).toBeGreaterThan(xOf('Smith'));
    expect(xOf('Smith')).toBeGreaterThan(xOf('כאן'));
    expect(placed.some(({ str }) => str.includes('42'))).toBe(true);
  });
});

test('a character that no face has is an empty square, and the book says so', async () => {
  expect(isSettable('ᏣᎳᎩ')).toBe(false);
  const { isWhole, text } = await set('Cherokee ᏣᎳᎩ.');
  expect([isWhole, text]).toEqual([false, expect.stringContaining('Cherokee □□□.')]);
});

test('the list of characters is that of the fonts', async () => {
  expect(JSON.parse(await readFile(coverageFile, 'utf8'))).toEqual(await readCoverage());
});
