CREATE TABLE "retention_notices" (
	"user_id" uuid NOT NULL,
	"kind" text NOT NULL,
	"sent_at" timestamp (3) with time zone NOT NULL,
	"notification_id" uuid NOT NULL,
	"outcome" text,
	"ended_at" timestamp (3) with time zone,
	"ended_healthy_ms" bigint,
	CONSTRAINT "retention_notices_user_id_kind_pk" PRIMARY KEY("user_id","kind"),
	CONSTRAINT "retention_notices_kind_check" CHECK ("retention_notices"."kind" in ('idle', 'undelivered', 'delivered')),
	CONSTRAINT "retention_notices_outcome_check" CHECK ("retention_notices"."outcome" in ('accepted', 'refused'))
);
--> statement-breakpoint
ALTER TABLE "retention_notices" ADD CONSTRAINT "retention_notices_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;