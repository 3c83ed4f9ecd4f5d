import type { Guide } from './guide.ts';

const checkedOn = '2026-11-21';

const hardWords: Guide = {
  id: 'when-words-are-hard',
  title: 'When words are hard',
  intro: 'You need no fine words. A small true thing is better than a long letter that is never written.',
  checkedOn,
  parts: [
    {
      title: 'Ways to begin',
      blocks: [
        {
          list: [
            '“I was thinking of the day when we …”',
            '“What I never told you is …”',
            '“Thank you for …”',
            '“When you make this recipe, remember …”',
            '“The song that makes me think of you is …”',
            '“On your birthday, I would like you to …”',
            '“I am sorry about …”',
          ],
        },
      ],
    },
    {
      title: 'What to leave out',
      blocks: [
        'Passwords, and anything that would hurt when you are not there to explain. If you are unsure, leave it for a week.',
      ],
    },
  ],
};

const letterToAChild: Guide = {
  id: 'a-letter-to-a-child',
  title: 'Writing a letter to a child',
  intro: 'A child keeps such a letter for life, and reads it differently at seven, at seventeen and at forty.',
  checkedOn,
  parts: [
    {
      title: 'How to write it',
      blocks: [
        'Write as you speak. Say their name. Tell them something they did that made you laugh.',
        'Say plainly that you died, not that you went away or fell asleep. A child waits for somebody who went away.',
        'Say that it was not their fault, and that they may be happy.',
      ],
    },
    {
      title: 'What to tell them',
      blocks: [
        {
          list: [
            'How they got their name, and what the first days with them were like.',
            'What you like about them, with one small true example.',
            'Where they come from: a grandparent, a place, a recipe, a family joke.',
            'Who will look after them, and whom they can ask anything.',
            'That there is no wish of yours they have to live by.',
          ],
        },
      ],
    },
    {
      title: 'One letter, or several',
      blocks: [
        'Write one for now and one for later. Say in the title when it is for: “When you are eighteen”.',
        'Address each letter to the grown-up who looks after the child. Ask that person to read it first and to choose the day.',
      ],
    },
  ],
};

const ifYouAreIll: Guide = {
  id: 'if-you-are-ill',
  title: 'If you are ill',
  intro: 'When strength is short, the order matters more than getting everything done.',
  checkedOn,
  parts: [
    {
      title: 'First',
      blocks: [
        {
          list: [
            'One short letter to the person closest to you. You can write a longer one later.',
            'One trusted contact who knows how you are, and who has accepted.',
            'Your [will](#wills): is it signed, is it still right, does somebody know where it is?',
            'A [power of attorney](#power-of-attorney). It has to be made while you can decide for yourself.',
          ],
        },
      ],
    },
    {
      title: 'Then',
      blocks: [
        'Say what treatment you want and do not want, and tell your doctor and your family. Ask your nurse or GP how to write it down.',
        'Choose a time of silence that fits. Ninety days is the shortest; a trusted contact can ask for a release sooner.',
      ],
    },
    {
      title: 'Writing when you are tired',
      blocks: [
        'Write on a good day, and stop when you have had enough. Your draft is kept.',
        'Say it aloud, and let somebody type. Your own words count, not your own hand.',
        'A hospice or a bereavement charity may help with letters and memory boxes. Ask yours.',
      ],
    },
  ],
};

export const writing: readonly Guide[] = [hardWords, letterToAChild, ifYouAreIll];
