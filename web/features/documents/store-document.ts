import { createDocument, updateDocument, type Document as VaultDocument } from '#shared/contract/documents.ts';
import { call } from '#web/lib/api/api.ts';
import { createSaves, type Saves } from '#web/lib/api/saves.ts';
import type { Uploading } from '#web/lib/api/use-upload.ts';
import type { DocumentAnswers } from './document-fields.tsx';

/** A document as it is stored. `renamedFrom` is the name that its file had, if the ending was corrected. */
type StoredDocument = VaultDocument & { renamedFrom?: string | undefined };
type Store = (file: File, answers: DocumentAnswers, send: Uploading['send']) => Promise<StoredDocument>;

/** Stores files of one form. A file whose outcome is unknown is stored once, however often it is sent. */
export function createStore(): Store {
  const savesOf = new WeakMap<File, Saves<StoredDocument>>();
  return (file, answers, send) => {
    const saves = savesOf.get(file) ?? createSaves<StoredDocument>(undefined);
    savesOf.set(file, saves);
    return saves.save(answers, (base, changeKey) => {
      if (!base) return send(createDocument, { file, fields: answers, changeKey });
      const { id, version } = base;
      return call(updateDocument, { params: { id }, body: { ...answers, version }, changeKey });
    });
  };
}
