import { writingQuestionOf } from '#shared/rules/letters/writing-questions.ts';
import { Button } from '#web/components/ui/button.tsx';

type AskedQuestionProps = { number: number; onBegin: (opening: string) => void };

/** The question that a mail has led here with, above the empty sheet or beneath what stands on it. */
export function AskedQuestion({ number, onBegin }: AskedQuestionProps) {
  const { question, opening } = writingQuestionOf(number);
  return (
    <p className="asked">
      <span className="it">{question}</span>{' '}
      <Button variant="text" size="small" onClick={() => onBegin(opening)}>
        Begin with it
      </Button>
    </p>
  );
}
