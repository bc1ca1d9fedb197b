-- Names the content of the access document, so that whoever replaces it can say which one they have seen. Empty before the first.

alter table gateway_snapshot add column config_etag text not null default '';
update gateway_snapshot set config_etag = md5(config::text) where config <> '{"tenants":{},"keys":[]}';
