import { buffer } from 'node:stream/consumers';
import type { BookStep } from '#server/platform/pdf/book-steps.ts';
import { setBook } from '#server/platform/pdf/set-book.ts';
import type { FirstWeeksNotes } from '#shared/rules/first-weeks/notes.ts';
import type { DemoFile } from './demo-people.ts';

/** A document as its owner would have typed it. */
type Paper = { fileName: string; title: string; paragraphs: string[] };

export const will: Paper = {
  fileName: 'will.pdf',
  title: 'My will: a copy to read',
  paragraphs: [
    'This is a copy. The signed will is in the safe of Marsh & Hale, solicitors, 4 Church Lane, Lyme Regis. The reference is OA/2217.',
    'I, Olive Amber Ashworth, of 12 Harbour Row, Lyme Regis, revoke every earlier will.',
    '1. My executors are Ada Shah and Marsh & Hale.',
    '2. My daughter Nell has the house, and everything in it that the others do not want.',
    '3. Ben Okri has the boat, the oars and the tide tables. He will say that he does not need them. Give them to him anyway.',
    '4. £2,000 go to the lifeboat station. They came out twice, and never said a word about it.',
    '5. Nell has the rest.',
    '6. I would like to be buried on the hill. No lilies, please.',
    'Signed on 3 March in the presence of P. Marsh and J. Hale, who signed after me.',
  ],
};

export const numbers: Paper = {
  fileName: 'who-to-ring.pdf',
  title: 'Who to ring, and in this order',
  paragraphs: [
    'Ada Shah, 01632 960 118. She has a key, and knows where the papers are.',
    'Ben Okri next door, 01632 960 142. He takes the dog on the first night.',
    'The vet, 01632 960 170. Biscuit has a tablet on Sundays.',
    'Dr Lind at the surgery, 01632 960 155.',
    'Marsh & Hale, 01632 960 163. Ask for Mr Hale, and say the reference: OA/2217.',
    'Then Nell. Let Ada ring her: she should not be alone when she hears.',
  ],
};

/** Facts for the first weeks, as their owner would have typed them. */
export const firstWeeksNotes: Partial<FirstWeeksNotes> = {
  nation: 'england-and-wales',
  will: 'In the safe of Marsh & Hale, 4 Church Lane, Lyme Regis. The reference is OA/2217.',
  solicitor: 'Mr Hale at Marsh & Hale, 01632 960 163. The executors are Ada Shah and the firm.',
  funeral:
    'To be buried on the hill. Something loud at the end. No lilies, please.\nThe plan is with Harbour Funerals, number 30417.',
  people: 'Ada first. Let her ring Nell, who should not be alone when she hears. Then Ben next door.',
  pets: 'Biscuit goes to Ben on the first night. The vet is on 01632 960 170. A tablet on Sundays.',
  gp: 'Dr Lind at the Harbour Surgery, 01632 960 155.',
  passport: 'Both are in the blue folder, top shelf of the study.',
  home: 'The mortgage is with the building society in the High Street. Ask for Mr Shah.',
  utilities: 'Water and power are in the blue folder. The stopcock is under the sink, on the left.',
  vehicles: 'The boat is Ben’s. The log book of the car is in the folder, the spare key on the hook.',
};

/** Sets a document as a PDF. */
export async function paperFile({ fileName, title, paragraphs }: Paper): Promise<DemoFile> {
  const pdf = await setBook({
    input: { title, language: 'en-GB', size: 'A4', contentsPage: null },
    steps: stepsOf(title, paragraphs),
    owner: 'demo',
    tooLarge: 'This document is too large to be set as a PDF.',
  });
  return { fileName, content: await buffer(pdf) };
}

async function* stepsOf(title: string, paragraphs: string[]): AsyncGenerator<BookStep[]> {
  yield [{ do: 'begin', title, isPart: false }, ...paragraphs.map((words): BookStep => ({ do: 'write', words }))];
}
