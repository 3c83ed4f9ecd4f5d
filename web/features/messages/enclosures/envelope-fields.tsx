import type { Message } from '#shared/contract/messages.ts';
import { hasFeature } from '#shared/rules/plans.ts';
import { useSession } from '#web/lib/session.ts';
import type { MessageFormFields } from '../message-form-state.ts';
import type { Enclosing } from './enclosing.ts';
import { PictureFields } from './picture-fields.tsx';
import { VoiceField } from './voice-field.tsx';
import './enclosures.css';

type EnvelopeFieldsProps = {
  form: MessageFormFields;
  message: Message | undefined;
  enclosings: readonly Enclosing[];
  onChange: (change: (before: readonly Enclosing[]) => Enclosing[]) => void;
  /** While it is being sent. */
  locked: boolean;
};

/** Pictures and a voice, below the words; and where there can be none, why. */
export function EnvelopeFields({ form: { watch }, ...fields }: EnvelopeFieldsProps) {
  const plan = useSession().user?.plan ?? 'free';
  // Present contents can be removed even if the plan has changed since.
  if (hasFeature(plan, 'attachments') || fields.enclosings.length > 0) {
    return (
      <>
        <PictureFields content={watch('content')} {...fields} />
        <VoiceField {...fields} />
      </>
    );
  }
  return (
    <p className="small quiet enclose">
      Pictures and your voice can lie in the envelope too, with the Essential plan or higher.
    </p>
  );
}
