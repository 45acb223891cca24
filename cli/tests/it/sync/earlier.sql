BEGIN TRANSACTION;
CREATE TABLE "deposit_addresses" (
  "id" TEXT PRIMARY KEY NOT NULL,
  "profile_id" TEXT,
  "customer_id" TEXT,
  "identity_id" TEXT,
  "ref_id" TEXT,
  "crypto_network" TEXT,
  "address" TEXT,
  "conversion_target_asset" TEXT,
  "compatible_crypto_networks" TEXT,
  "metadata" TEXT,
  "created_at" TEXT
);
INSERT INTO "deposit_addresses" VALUES('0003d825-6612-4155-a38a-0b0aae960d45','7c5c4d82-070d-41fc-a3a9-0514f678b98f','7cb7c04e-c277-4720-9f0a-d0c53ea5cf88',NULL,'customer-11','XLAYER','0xbf1a10ae4a277a2384a8525e7c7c3c0aab5bf281',NULL,NULL,NULL,'2025-12-31T12:23:28.312686144Z');
INSERT INTO "deposit_addresses" VALUES('10afdcd5-bb89-4452-93b0-f1f0abbffd99',NULL,'bf269c71-6b7e-47a7-bdfb-e11acef4a9a5','3650190f-95b2-473e-b39d-c1bae66f4052','customer-15','ARBITRUM_ONE','0xc3ab89210d9e59ef27c19b2c23f1eddf7ecea365','EUR',NULL,NULL,'2025-12-31T08:54:23.579000000Z');
INSERT INTO "deposit_addresses" VALUES('14c74d20-4132-4602-9f68-c38534f7b088','b43fa1ee-699e-4fa0-bf67-3c44dfc83c2f','b862629c-259f-4fa8-afe1-0489ba5bbe69',NULL,'customer-18','SOLANA','a5tEF7QPSocUPR22qAh6Wd3dXvWWrZN4Tu8NbyHSBso',NULL,'["SOLANA"]',NULL,'2025-12-31T05:47:41.769274873Z');
INSERT INTO "deposit_addresses" VALUES('16b48f5e-c684-4648-b410-30b1b2d724c7',NULL,'965e079c-c55b-4005-a13d-7f196d1b8cf7','8e5945a8-2f74-4612-be12-b8f673e80ac3','customer-17','SOLANA','cHQAGwJWbhfs1i8VdN3nBEtD4L2DiZxuWgHeBierChv','EUR','["SOLANA"]',NULL,'2025-12-31T06:10:29.734786000Z');
INSERT INTO "deposit_addresses" VALUES('1d68b8e6-1d4c-485c-987e-78372c758184','267e6176-c458-475b-9023-4c9a7017164c','9c72e983-71ab-41ed-b0d4-4e474cd41de4',NULL,'customer-14','STELLAR','GLOMCCIFEMHVG5SEPLKHYUAOLVZENLD2BIX4EPKS7PKC5BCHQMLUUMH7',NULL,'["STELLAR"]',NULL,'2025-12-31T09:32:31.863032258Z');
INSERT INTO "deposit_addresses" VALUES('5369c814-7fd1-428d-9d75-6baa2b0a79ae','b10020ef-d8c1-481d-a481-b9c6edf68a8b',NULL,NULL,'customer-12','POLYGON_POS','0x964f8abc4b4dacb63e3583f4db4cbdcb64d6bad1',NULL,'["ETHEREUM","POLYGON_POS","BASE","ARBITRUM_ONE","INK","XLAYER"]','{"order":"A-42302"}','2025-12-31T11:31:23.000000000Z');
INSERT INTO "deposit_addresses" VALUES('7277fa89-02ee-4e4a-9d2a-91512f4b9130',NULL,'dc15e302-f6d5-4ee3-9957-dfe77a3518a4','a16e0428-713c-4d74-a8e7-bf543cf01e50',NULL,'INK','0xf308ce33ced136bf287d251b8ab90cab7739fc62','USD','["ETHEREUM","POLYGON_POS","BASE","ARBITRUM_ONE","INK","XLAYER"]',NULL,'2025-12-31T13:39:41.000000000Z');
INSERT INTO "deposit_addresses" VALUES('9a3e8b5a-7cf8-4e94-948a-3d3eb4422c9d',NULL,'20247925-ab09-476c-93eb-a51d92a6e301','3e1e728c-c377-4b70-87e2-3e099fddfdad','customer-19','BITCOIN_CASH','bitcoincash:qc6ula6gup7zyx7qugahnm5qgx9m82mq6h45h0edcz','SGD','["BITCOIN_CASH"]',NULL,'2025-12-31T04:45:01.354000000Z');
INSERT INTO "deposit_addresses" VALUES('a286c7c9-c884-45a1-9fc9-e563aa54f5c3',NULL,'431eae1e-7b2e-4091-b084-e8abecbc4e33','baf157f6-3a07-4452-ad64-48016724c43d','customer-13','XLAYER','0x6bebf1afcb62707c5989047f4e22b7a806402163','SGD','["ETHEREUM","POLYGON_POS","BASE","ARBITRUM_ONE","INK","XLAYER"]',NULL,'2025-12-31T10:27:09.838684000Z');
INSERT INTO "deposit_addresses" VALUES('b9d9a528-96b9-421d-b178-b6f8338ca8b2','d3f270fd-90e8-43e0-904f-d2e0f0cc9a37','c3ce5b06-2f88-492e-9587-50dc86f85f2a',NULL,'customer-16','BITCOIN','bc1qk8tqqtjmqln08t5890r5uu2cc80lmh5mhha37u','SGD','["BITCOIN"]',NULL,'2025-12-31T07:07:56.842000000Z');
CREATE TABLE digital_assets_syncs (
  table_name TEXT NOT NULL,
  asked TEXT NOT NULL,
  service TEXT NOT NULL,
  client TEXT,
  state TEXT,
  rows_added BIGINT NOT NULL,
  records BIGINT NOT NULL,
  newest TEXT,
  open_records BIGINT,
  succeeded_at TEXT,
  tried_at TEXT,
  verified_through TEXT,
  running_since TEXT,
  PRIMARY KEY (table_name, asked)
);
INSERT INTO "digital_assets_syncs" VALUES('quote_executions','{"profile-id":["7f6c1a52-0a54-4c3e-9d1b-3f8f1c6f2a10"]}','https://service.example','sandbox-client','{"columns":["base_amount","base_asset","created_at","id","market","metadata","price","profile_id","quote_amount","quote_asset","quote_id","settled_at","side","status"],"types":{"base_amount":"TEXT","base_asset":"TEXT","created_at":"TEXT","id":"TEXT","market":"TEXT","metadata":"TEXT","price":"TEXT","profile_id":"TEXT","quote_amount":"TEXT","quote_asset":"TEXT","quote_id":"TEXT","settled_at":"TEXT","side":"TEXT","status":"TEXT"},"is_listed":true,"listed":"2025-12-31T23:24:57.059497136Z","followed":{"closed":[["2025-12-31T22:33:48.208113Z","c6cddb6c-aebf-4841-9232-34040908974d","196b7722e86718ee"]],"filters":"26dd01617ece6b6b","from":"2025-12-31T22:24:57.059497136Z","missing":[],"open":[["2025-12-31T04:45:01.354Z","942fc4f0-e1bf-4de4-bf7d-8bdf12f5ce27","5b6958dbd3ecba5d"],["2025-12-31T23:24:57.065099035Z","0c1f4a3e-5b7d-4f5c-8a55-6a1d2b9c7e01","b9cf9e1ac0845585"]],"operation":"listQuoteExecutions","service":""},"overlap":{"secs":3600,"nanos":0}}',20,20,'2025-12-31T23:24:57.065099035Z',2,'2026-11-28T18:07:01.242469369Z','2026-11-28T18:07:01.244147623Z',NULL,NULL);
INSERT INTO "digital_assets_syncs" VALUES('quote_executions','{"profile-id":["7f6c1a52-0a54-4c3e-9d1b-3f8f1c6f2a10"],"side":["BUY"]}','https://service.example','sandbox-client','{"columns":["base_amount","base_asset","created_at","id","market","metadata","price","profile_id","quote_amount","quote_asset","quote_id","settled_at","side","status"],"types":{"base_amount":"TEXT","base_asset":"TEXT","created_at":"TEXT","id":"TEXT","market":"TEXT","metadata":"TEXT","price":"TEXT","profile_id":"TEXT","quote_amount":"TEXT","quote_asset":"TEXT","quote_id":"TEXT","settled_at":"TEXT","side":"TEXT","status":"TEXT"},"is_listed":true,"listed":"2025-12-31T23:24:57.048860933Z","open":[["2025-12-31T23:24:57.065099035Z","0c1f4a3e-5b7d-4f5c-8a55-6a1d2b9c7e01"]],"overlap":{"secs":0,"nanos":0}}',0,8,'2025-12-31T23:24:57.065099035Z',1,'2026-11-28T18:07:01.316473062Z','2026-11-28T18:07:01.336039630Z',NULL,NULL);
INSERT INTO "digital_assets_syncs" VALUES('monitoring_addresses','{}','https://service.example','sandbox-client','{"columns":["address","created_at","crypto_network","id","name"],"types":{"address":"TEXT","created_at":"TEXT","crypto_network":"TEXT","id":"TEXT","name":"TEXT"},"is_listed":true,"listed":"2025-12-31T23:24:57.049462071Z","overlap":{"secs":0,"nanos":0}}',10,10,'2025-12-31T23:24:57.065099035Z',0,'2026-11-28T18:07:01.444289357Z','2026-11-28T18:07:01.447840626Z',NULL,NULL);
INSERT INTO "digital_assets_syncs" VALUES('deposit_addresses','{}','https://service.example','sandbox-client','{"columns":["address","compatible_crypto_networks","conversion_target_asset","created_at","crypto_network","customer_id","id","identity_id","metadata","profile_id","ref_id"],"types":{"address":"TEXT","compatible_crypto_networks":"TEXT","conversion_target_asset":"TEXT","created_at":"TEXT","crypto_network":"TEXT","customer_id":"TEXT","id":"TEXT","identity_id":"TEXT","metadata":"TEXT","profile_id":"TEXT","ref_id":"TEXT"},"begun":{"at":"2026-11-28T18:07:01.620556914Z","checkpoint":{"filters":"41964e68a58aae3f","operation":"listDepositAddresses","position":{"created_at":"2025-12-31T13:39:41Z","finished":false,"ids":["7277fa89-02ee-4e4a-9d2a-91512f4b9130"],"merged_listings":1,"page_cursor":null,"page_offset":5,"previous_time":"2025-12-31T12:23:28.312686144Z","records_at_time":1,"started_at_cursor":false,"time_order":{"is_relied_on":false,"is_violated":false},"times":[]},"service":""},"records":10,"newest":"2025-12-31T13:39:41Z"},"is_listed":false,"overlap":{"secs":0,"nanos":0}}',10,10,'2025-12-31T13:39:41Z',NULL,NULL,'2026-11-28T18:07:01.645291555Z',NULL,NULL);
CREATE TABLE "monitoring_addresses" (
  "address" TEXT,
  "id" TEXT PRIMARY KEY NOT NULL,
  "crypto_network" TEXT,
  "name" TEXT,
  "created_at" TEXT
);
INSERT INTO "monitoring_addresses" VALUES('0x624cd3ce171fe7689623e3deeadaca996e5a9fd5','04b63738-912b-40b1-abb9-83c318562734','XLAYER',NULL,'2025-12-31T18:45:13.345597000Z');
INSERT INTO "monitoring_addresses" VALUES('0x7a498c3ce77b9f62e34e1f217a1d555a68f903f1','144ac4b5-f70b-4d9a-a983-773616eb1f5e','INK','Treasury 7','2025-12-31T16:43:47.000000000Z');
INSERT INTO "monitoring_addresses" VALUES('0x0faa1e6d467af5c462d6306ac7fe3b62e080449b','2e9a6d14-70b3-4c8f-9e21-8b4c5d6e7f04','ETHEREUM','Treasury 0','2025-12-31T23:24:57.065099035Z');
INSERT INTO "monitoring_addresses" VALUES('0xb8a122a8da6f556f8e8073c2cc07e49e2cc3c8a5','45ba3f48-be15-47d9-b49c-f0ef96359b73','ETHEREUM','Treasury 6','2025-12-31T17:47:01.759765000Z');
INSERT INTO "monitoring_addresses" VALUES('0xcb9c610589840614eb5b0b8b9405ce5fe80e73c1','5502b3a9-a00d-4fce-8a4d-0a09990bab1f','ETHEREUM','Treasury 2','2025-12-31T21:20:02.007186764Z');
INSERT INTO "monitoring_addresses" VALUES('0xcc7b40c9c2720eb15e92166bb1c0b6838703fc2b','7ddda5c6-f367-4386-8ce0-905019c12f0a','ETHEREUM',NULL,'2025-12-31T20:25:43.128638000Z');
INSERT INTO "monitoring_addresses" VALUES('mDfit4spZb6rpY7H3piP3eWwnrqH8FPVmqk1npG3tNn','8aead9be-016e-4c0e-a990-6aa915801788','SOLANA','Treasury 9','2025-12-31T14:01:15.502000000Z');
INSERT INTO "monitoring_addresses" VALUES('zdRbhrWcWhJtyJE7rb7NWbHmcvc1JaBurs7ZwogTYiC','8fbd68a8-1a71-4ed7-a088-9cdd1b2c36e0','SOLANA',NULL,'2025-12-31T22:33:48.208113000Z');
INSERT INTO "monitoring_addresses" VALUES('0x585fef88b703d5e391d12c03433f52277ca337e4','b5af002e-962d-4cf2-9503-fd7c97a0a349','ETHEREUM',NULL,'2025-12-31T19:39:38.963923895Z');
INSERT INTO "monitoring_addresses" VALUES('o26ZDYvi2qS6XfKAKoURx44QydUxebtG211qs5CBnpH','d8f0c5b9-b68b-45f8-8079-e46294ca939d','SOLANA','Treasury 8','2025-12-31T15:33:48.355000000Z');
CREATE TABLE "quote_executions" (
  "id" TEXT PRIMARY KEY NOT NULL,
  "profile_id" TEXT,
  "quote_id" TEXT,
  "status" TEXT,
  "market" TEXT,
  "side" TEXT,
  "price" TEXT,
  "base_amount" TEXT,
  "base_asset" TEXT,
  "quote_amount" TEXT,
  "quote_asset" TEXT,
  "created_at" TEXT,
  "settled_at" TEXT,
  "metadata" TEXT
);
INSERT INTO "quote_executions" VALUES('0c1f4a3e-5b7d-4f5c-8a55-6a1d2b9c7e01','7f6c1a52-0a54-4c3e-9d1b-3f8f1c6f2a10','f8c92fa7-06fc-413d-ae5e-b8265fa5bff4','CREATED','MATICUSD','BUY','1.3615989','13103.84431127','MATIC','17842.17999999','USD','2025-12-31T23:24:57.065099035Z',NULL,NULL);
INSERT INTO "quote_executions" VALUES('18af4b3c-8b40-4142-89f2-94a3857d03b6','7f6c1a52-0a54-4c3e-9d1b-3f8f1c6f2a10','b3988810-ba15-408a-8f1b-cf9d129c8307','SETTLED','WLDUSD','SELL','1.2516742','6919.899763053356855961','WLD','8661.45999999','USD','2025-12-31T17:47:01.759765000Z','2025-12-31T17:47:22.682765000Z',NULL);
INSERT INTO "quote_executions" VALUES('270df46d-1ad7-4238-b45c-66380eb4b6a5','7f6c1a52-0a54-4c3e-9d1b-3f8f1c6f2a10','8c2c0deb-8793-4ff0-a6e1-b92518b907d9','SETTLED','BTCEUR','BUY','67476.07','182.00','BTC','12280644.74','EUR','2025-12-31T14:01:15.502000000Z','2025-12-31T14:02:26.093000000Z',NULL);
INSERT INTO "quote_executions" VALUES('2d72eead-03e3-41fc-8dad-59ab0d49aecf','7f6c1a52-0a54-4c3e-9d1b-3f8f1c6f2a10','8600b386-6397-42f9-8921-6c0c607b9c6f','SETTLED','TRUMPUSD','SELL','1.7651563','368.00','TRUMP','649.57','USD','2025-12-31T12:23:28.312686144Z','2025-12-31T12:24:12.311686144Z',NULL);
INSERT INTO "quote_executions" VALUES('4fd81501-2a27-4d07-922b-2777079d8f77','7f6c1a52-0a54-4c3e-9d1b-3f8f1c6f2a10','40f8e0e4-38c2-4395-b5ae-7db323f57007','SETTLED','MNTUSD','BUY','1.3388480','167.00','MNT','223.58','USD','2025-12-31T20:25:43.128638000Z','2025-12-31T20:26:00.767638000Z',NULL);
INSERT INTO "quote_executions" VALUES('770f0968-d61c-4f94-85e2-986c1460d5fd','7f6c1a52-0a54-4c3e-9d1b-3f8f1c6f2a10','e023eb2a-682a-47a7-8595-b41c44a91e98','SETTLED','MATICUSD','BUY','1.4039777','62929.09780547','MATIC','88351.04','USD','2025-12-31T06:10:29.734786000Z','2025-12-31T06:10:52.547786000Z',NULL);
INSERT INTO "quote_executions" VALUES('7e286558-6de2-436b-8712-d3648c942ae4','7f6c1a52-0a54-4c3e-9d1b-3f8f1c6f2a10','80869915-6f45-48d4-a1b3-e82bb424e9ed','SETTLED','MATICUSD','BUY','1.3674787','52660.147467013562990048','MATIC','72011.629999999999999998','USD','2025-12-31T11:31:23.000000000Z','2025-12-31T11:32:06.759000000Z',NULL);
INSERT INTO "quote_executions" VALUES('8119a0e7-6272-453e-bb48-dff18dff32ba','7f6c1a52-0a54-4c3e-9d1b-3f8f1c6f2a10','491f034b-01e7-4f98-a6c2-5eea0fd3869a','SETTLED','ONDOUSD','SELL','1.4369618','15224.07206649','ONDO','21876.40','USD','2025-12-31T13:39:41.000000000Z','2025-12-31T13:40:30.724000000Z',NULL);
INSERT INTO "quote_executions" VALUES('84736fb7-18e1-4329-a05f-1eb2951659e8','7f6c1a52-0a54-4c3e-9d1b-3f8f1c6f2a10','0c5192b0-b9ab-4e03-bc0c-031968039225','SETTLED','PEPEUSD','BUY','0.0000139345','366.00','PEPE','0.005100027000','USD','2025-12-31T07:07:56.842000000Z','2025-12-31T07:08:48.838000000Z','{"note":null,"order":"A-74964"}');
INSERT INTO "quote_executions" VALUES('85be69e1-8316-49c7-b1bd-0e5d04c77fcb','7f6c1a52-0a54-4c3e-9d1b-3f8f1c6f2a10','1d53030d-a604-4357-88ac-818dbc51da67','SETTLED','ETHSGD','SELL','3233.55','28.50178905','ETH','92161.9599826275','SGD','2025-12-31T16:43:47.000000000Z','2025-12-31T16:45:02.580000000Z',NULL);
INSERT INTO "quote_executions" VALUES('942fc4f0-e1bf-4de4-bf7d-8bdf12f5ce27','7f6c1a52-0a54-4c3e-9d1b-3f8f1c6f2a10','d8dcffd3-7947-402e-9460-ad3c4646f496','CREATED','MATICUSD','SELL','1.3878535','119','MATIC','165.1545665','USD','2025-12-31T04:45:01.354000000Z',NULL,NULL);
INSERT INTO "quote_executions" VALUES('99e72bee-43d1-4273-bbe8-40910a739f23','7f6c1a52-0a54-4c3e-9d1b-3f8f1c6f2a10','dd53add4-1eb4-4b41-8ee6-c2fe0eb8fcdc','SETTLED','ENAUSD','BUY','1.3739161','365','ENA','501.4793765','USD','2025-12-31T08:54:23.579000000Z','2025-12-31T08:54:50.661000000Z','{"desk":{"floor":3,"name":"emea"},"order":"A-85075"}');
INSERT INTO "quote_executions" VALUES('9dacd437-f5a0-4760-ad9d-ec7e8f6a3a90','7f6c1a52-0a54-4c3e-9d1b-3f8f1c6f2a10','a6a04160-55f2-4867-a0b7-9556990d9fea','SETTLED','LTCUSD','SELL','75.36','200.99880573','LTC','15147.26','USD','2025-12-31T15:33:48.355000000Z','2025-12-31T15:34:24.916000000Z',NULL);
INSERT INTO "quote_executions" VALUES('b484b22b-26c2-427c-9018-c6d78b29230e','7f6c1a52-0a54-4c3e-9d1b-3f8f1c6f2a10','02dd4173-f99d-4c99-88ae-cd08f1980bad','SETTLED','ONDOUSD','SELL','1.3972114','65339.9907','ONDO','91293.77988193398','USD','2025-12-31T09:32:31.863032258Z','2025-12-31T09:33:48.975032258Z',NULL);
INSERT INTO "quote_executions" VALUES('bd1dcdf9-2608-4f71-b704-a13086e80b8c','7f6c1a52-0a54-4c3e-9d1b-3f8f1c6f2a10','bd2b9d74-d1cf-4278-a328-c1353e0fb97a','SETTLED','BONKUSD','BUY','0.0000230953','171','BONK','0.0039492963','USD','2025-12-31T19:39:38.963923895Z','2025-12-31T19:40:33.122923895Z',NULL);
INSERT INTO "quote_executions" VALUES('c4e816d4-2ffa-4db7-90aa-adbd88531362','7f6c1a52-0a54-4c3e-9d1b-3f8f1c6f2a10','fb79fdd1-97e4-4973-9689-312a14ce87b2','SETTLED','BTCEUR','SELL','58748.47','0.091530553902084598','BTC','5377.27999999999994306506','EUR','2025-12-31T21:20:02.007186764Z','2025-12-31T21:20:10.192186764Z',NULL);
INSERT INTO "quote_executions" VALUES('c6cddb6c-aebf-4841-9232-34040908974d','7f6c1a52-0a54-4c3e-9d1b-3f8f1c6f2a10','8ad97a11-141d-4c0e-baa7-f2153c4c2083','SETTLED','SKYUSD','SELL','1.2023662','52878.08323287','SKY','63578.81999998','USD','2025-12-31T22:33:48.208113000Z','2025-12-31T22:34:13.648113000Z',NULL);
INSERT INTO "quote_executions" VALUES('eadce3d8-2a65-424f-8ed1-122593ab5212','7f6c1a52-0a54-4c3e-9d1b-3f8f1c6f2a10','dc65d08d-b7e9-4c51-962e-ed73b9358f95','SETTLED','TRUMPUSD','SELL','1.2461381','24601.65530610','TRUMP','30657.05','USD','2025-12-31T05:47:41.769274873Z','2025-12-31T05:49:09.644274873Z',NULL);
INSERT INTO "quote_executions" VALUES('ed0682c5-9dc4-47e2-8098-1aea063287a1','7f6c1a52-0a54-4c3e-9d1b-3f8f1c6f2a10','5fe96f11-d6d7-4c6f-a983-968c77dbf822','SETTLED','BTCEUR','SELL','72525.20','1.012511789005752483','BTC','73432.61999999999998007160','EUR','2025-12-31T18:45:13.345597000Z','2025-12-31T18:46:15.816597000Z',NULL);
INSERT INTO "quote_executions" VALUES('f49cae5e-5efe-4a1b-b383-4d1e0bdea6f9','7f6c1a52-0a54-4c3e-9d1b-3f8f1c6f2a10','76bb0959-081e-4c2e-b8a1-4c6cc2c62662','SETTLED','UNIUSD','SELL','1.7479667','352','UNI','615.28','USD','2025-12-31T10:27:09.838684000Z','2025-12-31T10:27:26.394684000Z',NULL);
COMMIT;
