/** Days between two questions. */
export const writingQuestionDays = 30;

/**
 * Questions for owners who look for a beginning: one a month, in this order, then from the first again. Each has the
 * first words of an answer.
 */
export const writingQuestions = [
  { question: 'Is there a story about you that they do not know?', opening: 'Here is a story you do not know. ' },
  { question: 'What did the kitchen of your childhood smell of?', opening: 'The kitchen I grew up in smelled of ' },
  { question: 'What did you learn later than you would have liked?', opening: 'I wish I had known earlier that ' },
  { question: 'When did they make you laugh until it hurt?', opening: 'I have never laughed as much as when you ' },
  { question: 'How did you meet the person you loved most?', opening: 'We met ' },
  { question: 'Which small thing do they do that you would miss?', opening: 'A small thing you do that I love: ' },
  {
    question: 'What would you tell yourself at twenty?',
    opening: 'If I could talk to myself at twenty, I would say: ',
  },
  { question: 'Which recipe should not be lost?', opening: 'Here is how I make it: ' },
  { question: 'What are you proud of, and have never said?', opening: 'I have never said it, but I am proud of ' },
  { question: 'Which song is yours, and where did you hear it first?', opening: 'There is a song that is mine. ' },
  {
    question: 'What would you like to be forgiven for?',
    opening: 'There is something I would like to say sorry for: ',
  },
  { question: 'Which place should they visit once, for you?', opening: 'Go there once for me: ' },
  { question: 'Whose advice did you follow, and was it right?', opening: 'The best advice I was given was ' },
  { question: 'What did you want to become, and what came of it?', opening: 'When I was a child I wanted to become ' },
  { question: 'Which photograph would you save, and who is in it?', opening: 'The photograph I would save shows ' },
  {
    question: 'What do you hope they worry about less than you did?',
    opening: 'I hope you worry less than I did about ',
  },
  { question: 'Who helped you when it counted?', opening: 'When it counted, the one who helped me was ' },
  { question: 'What is the best day you can remember?', opening: 'The best day I can remember began ' },
] as const;

/** The one of this number, however high. */
export function writingQuestionOf(number: number): (typeof writingQuestions)[number] {
  return writingQuestions[number % writingQuestions.length] as (typeof writingQuestions)[number];
}

/** Address of a new message with this question. */
export function questionAddress(number: number): string {
  return `/messages?question=${number}`;
}

/** Question that an address names (`?question=`); null for none. */
export function askedQuestion(search: string): number | null {
  const asked = new URLSearchParams(search).get('question');
  const number = asked !== null && /^\d{1,4}$/.test(asked) ? Number(asked) : Number.NaN;
  return number < writingQuestions.length ? number : null;
}
