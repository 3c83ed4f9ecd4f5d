import { useEffect, useMemo, useRef } from 'react';
import { Banner } from '#web/components/ui/banner.tsx';
import { Button } from '#web/components/ui/button.tsx';
import { TextField } from '#web/components/ui/field.tsx';
import { Icon } from '#web/components/ui/icon.tsx';
import type { Template } from '#web/content/templates.ts';
import { useDraft } from '#web/lib/drafts/draft.ts';
import { fieldsOf, fillTemplate, type TemplateField, type TemplateValues } from './template-fill.rules.ts';
import { TemplatePaper } from './template-paper.tsx';
import { TemplatePreview } from './template-preview.tsx';
import { useAccess } from './use-access.ts';
import { useSaveTemplate } from './use-save-template.ts';

const nothingTyped: TemplateValues = {};

/** A template that is filled in: fields, how it begins, and what can be done with it. */
export function TemplateForm({ template }: { template: Template }) {
  const draft = useDraft<TemplateValues>(`template:${template.id}`, nothingTyped, { secret: true });
  const { save, isSaving } = useSaveTemplate(useAccess('documentVault'));
  const groups = useMemo(() => grouped(fieldsOf(template.content)), [template]);
  const text = fillTemplate(template.content, draft.value);
  const heading = useRef<HTMLHeadingElement>(null);
  // Choosing a template moves the reader to another place, though the page stays.
  useEffect(() => heading.current?.focus(), []);
  return (
    <>
      <div className="template-fill noprint">
        <header>
          <a className="back" href="#templates">
            <Icon name="arrow-left" />
            All templates
          </a>
          <h3 ref={heading} tabIndex={-1}>
            {template.title}
          </h3>
          <Banner>{template.note}</Banner>
        </header>
        <form className="template-fields" onSubmit={(event) => event.preventDefault()}>
          {groups.map(([title, fields]) => (
            <fieldset key={title}>
              <legend>{title || 'To begin with'}</legend>
              {fields.map(({ key, label }) => (
                <TextField
                  key={key}
                  label={label}
                  autoComplete="off"
                  value={draft.value[key] ?? ''}
                  onChange={(event) => draft.setValue({ ...draft.value, [key]: event.target.value })}
                />
              ))}
            </fieldset>
          ))}
        </form>
        <aside className="template-side" aria-label="Preview and saving">
          <h4>How it begins</h4>
          <TemplatePreview text={text} label="Preview" />
          <p className="hint">What you type is kept in this browser, encrypted, until you sign out.</p>
          <div className="btns">
            <Button busy={isSaving} onClick={() => save(template, text)}>
              {isSaving ? 'Saving…' : 'Save to the vault'}
            </Button>
            <Button variant="secondary" onClick={() => print()}>
              <Icon name="print" />
              Print
            </Button>
            <Button
              variant="text"
              onClick={() => {
                draft.setValue(nothingTyped);
                draft.clear();
              }}
            >
              Clear what I typed
            </Button>
          </div>
        </aside>
      </div>
      <TemplatePaper content={template.content} text={text} />
    </>
  );
}

function grouped(fields: readonly TemplateField[]): [string, TemplateField[]][] {
  const groups = new Map<string, TemplateField[]>();
  for (const field of fields) groups.set(field.group, [...(groups.get(field.group) ?? []), field]);
  return [...groups];
}
