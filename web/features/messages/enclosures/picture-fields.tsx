import { useRef, useState } from 'react';
import type { Message } from '#shared/contract/messages.ts';
import { captionLengthMax } from '#shared/rules/letters/enclosures.ts';
import { paragraphsOf } from '#shared/rules/letters/paragraphs.ts';
import { fileSize } from '#shared/rules/sizes.ts';
import { Button } from '#web/components/ui/button.tsx';
import { CheckboxField, FieldError, SelectField, type SelectOption, TextField } from '#web/components/ui/field.tsx';
import { FileButton } from '#web/components/ui/file-field.tsx';
import { sizeAndKind } from '#web/lib/file-words.ts';
import { counted } from '#web/lib/format.ts';
import { useSession } from '#web/lib/session.ts';
import { type Enclosing, factsOf, newEnclosing, originalFacts, picturesOf, withMoved } from './enclosing.ts';
import {
  acceptedPictures,
  type Original,
  originalOf,
  pictureRefusal,
  pictureTooLarge,
  pictureWords,
} from './enclosure-choice.rules.ts';
import { namedByContent } from './named-by-content.ts';
import { smallerPicture } from './smaller-picture.ts';
import { useEnclosureHref } from './use-enclosure-href.ts';

type PictureFieldsProps = {
  message: Message | undefined;
  /** The words of the letter, between which a picture may stand. */
  content: string;
  enclosings: readonly Enclosing[];
  onChange: (change: (before: readonly Enclosing[]) => Enclosing[]) => void;
  /** While they are being sent. */
  locked: boolean;
};

/** The pictures in the envelope, each with a line below it, in the writer's order. */
export function PictureFields({ message, content, enclosings, onChange, locked }: PictureFieldsProps) {
  const [error, setError] = useState<string>();
  const [drawing, setDrawing] = useState(0);
  const list = useRef<HTMLDivElement>(null);
  const plan = useSession().user?.plan ?? 'free';
  const pictures = picturesOf(enclosings);
  const places = pictures.length > 0 ? placesIn(content) : [];
  const add = async (files: readonly File[]) => {
    setError(undefined);
    let there = pictures.length;
    for (const file of files) {
      const refusal = pictureRefusal(file, there);
      if (refusal) {
        setError(refusal.description);
        continue;
      }
      there += 1;
      setDrawing((count) => count + 1);
      try {
        const chosen = await namedByContent(file);
        const small = await smallerPicture(chosen);
        const tooLarge = pictureTooLarge(small);
        const original = originalOf(chosen, small, plan);
        if (tooLarge) setError(tooLarge.description);
        else onChange((before) => inFrontOfVoice(before, newEnclosing('picture', small, original)));
      } catch {
        setError(`This browser can’t show ${file.name}, so it was not taken. Choose it as a JPEG or a PNG.`);
      } finally {
        setDrawing((count) => count - 1);
      }
    }
  };
  const replace = (changed: Enclosing) =>
    onChange((before) => before.map((each) => (each.key === changed.key ? changed : each)));
  const remove = ({ key }: Enclosing) => {
    onChange((before) => before.filter((each) => each.key !== key));
    // The button that was pressed goes away, and the focus would go with it.
    list.current?.querySelector<HTMLElement>('.pictures-more input')?.focus();
  };
  return (
    <div ref={list} className="pictures">
      {pictures.map((picture, index) => (
        <PictureField
          key={picture.key}
          message={message}
          places={places}
          picture={picture}
          place={{ number: index + 1, of: pictures.length }}
          locked={locked}
          onChange={replace}
          onMove={(by) => onChange((before) => withMoved(before, picture.key, by))}
          onRemove={() => remove(picture)}
        />
      ))}
      <div className="pictures-more">
        <FileButton accept={acceptedPictures} multiple disabled={locked} onChoose={add}>
          Add pictures
        </FileButton>
        <p className="small quiet" role="status">
          {drawing > 0 ? `Making ${counted(drawing, 'picture')} smaller, on your device…` : pictureWords}
        </p>
      </div>
      {error ? (
        <div role="alert">
          <FieldError id="pictures-error" error={error} />
        </div>
      ) : null}
    </div>
  );
}

/** The voice stays last. */
function inFrontOfVoice(before: readonly Enclosing[], picture: Enclosing): Enclosing[] {
  return [...picturesOf(before), picture, ...before.filter(({ kind }) => kind === 'voice')];
}

const placeLettersMax = 32;

/** Possible places of a picture, each named by the beginning of the paragraph before it. The end has no number. */
function placesIn(content: string): SelectOption[] {
  const after = paragraphsOf(content).map(({ lines: [first = ''] }, index) => ({
    value: index + 1,
    label: `After “${first.length > placeLettersMax ? `${first.slice(0, placeLettersMax).trimEnd()}…` : first}”`,
  }));
  return [{ value: '', label: 'At the end' }, { value: 0, label: 'Before the first words' }, ...after];
}

type PictureFieldProps = {
  message: Message | undefined;
  places: readonly SelectOption[];
  picture: Enclosing;
  place: { number: number; of: number };
  locked: boolean;
  onChange: (picture: Enclosing) => void;
  onMove: (by: -1 | 1) => void;
  onRemove: () => void;
};

function PictureField({ message, places, picture, place, locked, onChange, onMove, onRemove }: PictureFieldProps) {
  const href = useEnclosureHref(message, picture);
  const facts = factsOf(picture);
  const original = originalIn(picture);
  const kept = originalFacts(picture);
  const called = `picture ${place.number} of ${place.of}`;
  return (
    <fieldset className="picture">
      <legend className="vh">{`Picture ${place.number} of ${place.of}`}</legend>
      <img src={href} alt={picture.caption || facts.name} />
      <TextField
        label="What it shows, in a line"
        hint="They read it below the picture, and it is read out to people who can’t see it."
        value={picture.caption}
        maxLength={captionLengthMax}
        readOnly={locked}
        onChange={({ target }) => onChange({ ...picture, caption: target.value })}
      />
      <SelectField
        label="Where it stands"
        options={places}
        value={places.some(({ value }) => value === picture.afterParagraph) ? (picture.afterParagraph ?? '') : ''}
        disabled={locked}
        onChange={({ target }) =>
          onChange({ ...picture, afterParagraph: target.value === '' ? null : Number(target.value) })
        }
      />
      {original ? (
        <CheckboxField
          {...originalWords[original.kept]}
          checked={picture.isOriginalKept}
          disabled={locked}
          onChange={({ target }) => onChange({ ...picture, isOriginalKept: target.checked })}
        />
      ) : null}
      <div className="btns">
        <Button
          variant="secondary"
          size="small"
          disabled={locked || place.number === 1}
          aria-label={`Earlier: ${called}`}
          onClick={() => onMove(-1)}
        >
          Earlier
        </Button>
        <Button
          variant="secondary"
          size="small"
          disabled={locked || place.number === place.of}
          aria-label={`Later: ${called}`}
          onClick={() => onMove(1)}
        >
          Later
        </Button>
        <Button variant="text" size="small" disabled={locked} aria-label={`Take it out: ${called}`} onClick={onRemove}>
          Take it out
        </Button>
        <span className="small quiet picture-facts">
          {sizeAndKind(facts)}
          {kept ? `, and the original, ${fileSize(kept.sizeBytes)}` : null}
        </span>
      </div>
    </fieldset>
  );
}

const originalWords: Record<Original['kept'], { label: string; hint: string }> = {
  beside: {
    label: 'Keep the original as well',
    hint: 'As the camera took it, with the place and the time that it wrote into it. They can save it below the picture.',
  },
  instead: {
    label: 'Keep it as it was taken',
    hint: 'With the place and the time that the camera wrote into it. Else they are taken out.',
  },
};

/** Options for the original of a picture. */
function originalIn(picture: Enclosing): Pick<Original, 'kept'> | undefined {
  if ('stored' in picture) return picture.stored.original ? { kept: 'beside' } : undefined;
  return picture.original;
}
