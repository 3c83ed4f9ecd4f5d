import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useRef } from 'react';
import { createDocument } from '#shared/contract/documents.ts';
import type { Template } from '#web/content/templates.ts';
import { ApiError } from '#web/lib/api/api.ts';
import { useUpload } from '#web/lib/api/use-upload.ts';
import { type ToastContent, toast } from '#web/lib/toast.ts';
import type { FeatureAccess } from './use-access.ts';

const upgradeRequired: ToastContent = {
  title: 'Upgrade Required',
  description: 'Document vault is available with Essential plan and above. Upgrade to save completed templates.',
  variant: 'destructive',
};

/** Puts a completed template into the document vault, and says how it went. `access` is that to the vault. */
export function useSaveTemplate(access: FeatureAccess) {
  const client = useQueryClient();
  const { send } = useUpload();
  // A text is stored once, also if the answer to the first try was lost.
  const unsure = useRef<{ said: string; changeKey: string }>(undefined);
  const store = useMutation({
    mutationFn: ({ template, text }: { template: Template; text: string }) => {
      const said = `${template.id} ${text}`;
      if (unsure.current?.said !== said) unsure.current = { said, changeKey: crypto.randomUUID() };
      const { changeKey } = unsure.current;
      const file = new File([text], `${template.id}.txt`, { type: 'text/plain' });
      return send(createDocument, { file, fields: { category: 'legal' }, changeKey });
    },
    onSuccess: () => {
      unsure.current = undefined;
      toast({ title: 'Template Saved', description: 'It is in your document vault, under Legal.' });
      client.invalidateQueries();
    },
    onError: (error) => toast(failureOf(error)),
  });
  const save = (template: Template, text: string) => {
    if (access === 'missing') toast(upgradeRequired);
    else if (!store.isPending) store.mutate({ template, text });
  };
  return { save, isSaving: store.isPending };
}

/** Message for a template that was not saved. */
export function failureOf(error: Error): ToastContent {
  const status = error instanceof ApiError ? error.status : 0;
  const type = error instanceof ApiError ? error.type : undefined;
  if (status === 401 || error.message.includes('401')) {
    return {
      title: 'Authentication Required',
      description: 'Please log in to save templates.',
      variant: 'destructive',
    };
  }
  if (type === 'STORAGE_LIMIT_EXCEEDED' || error.message.includes('STORAGE_LIMIT_EXCEEDED')) {
    return {
      title: 'Storage Limit Exceeded',
      description: 'Upgrade your plan to save more documents.',
      variant: 'destructive',
    };
  }
  if (type === 'FEATURE_NOT_IN_PLAN') return upgradeRequired;
  return {
    title: 'Save Failed',
    description: `Could not save template: ${error.message}`,
    variant: 'destructive',
  };
}
