import { deleteContact, resendInvitation } from '#shared/contract/contacts.ts';
import { deleteDocument, downloadDocument, updateDocument } from '#shared/contract/documents.ts';
import { confirmAddress, listOldAddresses } from '#shared/contract/letters/addresses.ts';
import { getEnclosure } from '#shared/contract/letters/enclosures.ts';
import { chooseWritingQuestions, getWritingQuestions } from '#shared/contract/letters/writing-questions.ts';
import {
  createMessage,
  createMessageWithAttachment,
  deleteMessage,
  downloadAttachment,
  updateMessage,
  updateMessageWithAttachment,
} from '#shared/contract/messages.ts';
import { restoreDeleted } from '#shared/contract/vault/recently-deleted.ts';
import { withoutSchemas } from './without-schemas.ts';

/**
 * Further routes by method and address only, for pages of the vault: they load the contract's schemas with their forms.
 * The web's build replaces this file by its result.
 */
export const vaultRoutes = withoutSchemas({
  chooseWritingQuestions,
  confirmAddress,
  createMessage,
  createMessageWithAttachment,
  deleteContact,
  deleteDocument,
  deleteMessage,
  downloadAttachment,
  downloadDocument,
  getEnclosure,
  getWritingQuestions,
  listOldAddresses,
  resendInvitation,
  restoreDeleted,
  updateDocument,
  updateMessage,
  updateMessageWithAttachment,
});
