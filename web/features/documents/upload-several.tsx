import { useEffect, useState } from 'react';
import { type DocumentCategory, documentCategories } from '#shared/rules/categories.ts';
import type { PlanName } from '#shared/rules/plans.ts';
import { Button } from '#web/components/ui/button.tsx';
import { CheckboxField, SelectField } from '#web/components/ui/field.tsx';
import { Icon } from '#web/components/ui/icon.tsx';
import { UploadProgress } from '#web/components/ui/upload-progress.tsx';
import { useLeaveWarning } from '#web/lib/drafts/leave-warning.ts';
import { refusalOf } from '#web/lib/file-choice.rules.ts';
import { sizeAndKind } from '#web/lib/file-words.ts';
import { counted } from '#web/lib/format.ts';
import { documentCategoryLabels } from './document-list.rules.ts';
import { shownOf } from './upload-form.tsx';
import { type Queued, type UploadQueue, useUploadQueue } from './upload-queue.ts';
import './documents.css';

type UploadSeveralProps = {
  plan: PlanName;
  files: readonly File[];
  onClose: () => void;
  /** Told whether files are on their way. */
  onSending: (isSending: boolean) => void;
};

/** Several files at once: each is stored under its own name, with shared details. */
export function UploadSeveral({ plan, files, onClose, onSending }: UploadSeveralProps) {
  const queue = useUploadQueue(files, (file) => refusalOf(file, plan)?.description);
  const [category, setCategory] = useState<DocumentCategory>('personal');
  const [isShown, setShown] = useState(false);
  const { items, isSending } = queue;
  const numberOf = (...states: Queued['state'][]) => items.filter(({ state }) => states.includes(state)).length;
  const [waiting, stored, failed] = [numberOf('waiting'), numberOf('stored'), numberOf('failed', 'cancelled')];
  useLeaveWarning(isSending || waiting > 0);
  useEffect(() => onSending(isSending), [isSending, onSending]);
  return (
    <div className="doc-form">
      <ul className="queue" aria-label="Files">
        {items.map((item) => (
          <QueuedFile key={item.key} item={item} queue={queue} />
        ))}
      </ul>
      <p className="small quiet" role="status">
        {stored > 0 ? `${counted(stored, 'document')} stored. ` : ''}
        {failed > 0 && !isSending ? `${counted(failed, 'file')} not stored.` : ''}
      </p>
      <SelectField
        label="Category of all"
        options={documentCategories.map((value) => ({ value, label: documentCategoryLabels[value] }))}
        value={category}
        disabled={isSending}
        onChange={({ currentTarget }) => setCategory(currentTarget.value as DocumentCategory)}
      />
      <CheckboxField
        label="Show all of them to my trusted contacts"
        checked={isShown}
        disabled={isSending}
        onChange={({ currentTarget }) => setShown(currentTarget.checked)}
      />
      <div className="btns">
        {waiting > 0 || isSending ? (
          <Button busy={isSending} onClick={() => queue.storeAll({ category, visibleToTrustedContact: isShown })}>
            {isSending ? 'Uploading…' : `Store ${counted(waiting, 'document')} in my vault`}
          </Button>
        ) : null}
        {isSending ? null : (
          <Button variant={waiting > 0 ? 'secondary' : 'primary'} onClick={onClose}>
            {stored > 0 ? 'Done' : 'Cancel'}
          </Button>
        )}
      </div>
    </div>
  );
}

const words: Record<'waiting' | 'stored' | 'cancelled', string> = {
  waiting: 'Waits',
  stored: 'Stored',
  cancelled: 'Stopped',
};

function wordsOf(item: Exclude<Queued, { state: 'refused' | 'failed' }>): string {
  if (item.state === 'sending') return 'Sending';
  return item.state === 'stored' && item.storedAs ? `Stored as ${item.storedAs}` : words[item.state];
}

function QueuedFile({ item, queue }: { item: Queued; queue: UploadQueue }) {
  const { key, file, state } = item;
  if (state === 'sending' && queue.progress) {
    return (
      <li>
        <UploadProgress fileName={file.name} progress={queue.progress} onCancel={queue.cancel} />
      </li>
    );
  }
  const canRetry = state === 'failed' || state === 'cancelled';
  return (
    <li className="queued">
      <Icon name={state === 'stored' ? 'check' : 'clip'} />
      <div>
        <bdi className="anywhere">{file.name}</bdi>
        <p className="small quiet">{sizeAndKind(shownOf(file))}</p>
        {item.state === 'refused' || item.state === 'failed' ? (
          <p className="err">{item.why}</p>
        ) : (
          <p className="small quiet">{wordsOf(item)}</p>
        )}
      </div>
      <div className="queued-acts">
        {canRetry ? (
          <Button variant="text" size="small" aria-label={`Try ${file.name} again`} onClick={() => queue.retry(key)}>
            Try again
          </Button>
        ) : null}
        {state === 'stored' || state === 'sending' ? null : (
          <button
            type="button"
            className="icon-btn"
            aria-label={`Leave ${file.name} out`}
            onClick={() => queue.remove(key)}
          >
            <Icon name="close" />
          </button>
        )}
      </div>
    </li>
  );
}
