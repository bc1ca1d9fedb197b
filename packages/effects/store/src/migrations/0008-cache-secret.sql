-- What gateways make the salts of prefix caches with. Drawn once: another secret would make every engine's cache cold.

alter table gateway_snapshot add column cache_secret text not null default replace(gen_random_uuid()::text || gen_random_uuid()::text, '-', '');
