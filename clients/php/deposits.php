<?php

// Prints all deposit addresses on two networks, page by page.

require getenv('AUTOLOAD') ?: 'client/vendor/autoload.php';

use DigitalAssets\Api\TransferApi;
use DigitalAssets\ApiException;
use DigitalAssets\Configuration;
use DigitalAssets\Model\CryptoNetwork;
use GuzzleHttp\Client;

function env(string $name): string
{
    return getenv("DIGITAL_ASSETS_$name") ?: throw new RuntimeException("DIGITAL_ASSETS_$name isn't set");
}

function token(Client $http, string $scope): string
{
    $response = $http->post(env('AUTH_URL'), ['form_params' => [
        'grant_type' => 'client_credentials',
        'client_id' => env('CLIENT_ID'),
        'client_secret' => env('CLIENT_SECRET'),
        'scope' => $scope,
    ]]);

    return json_decode($response->getBody(), true)['access_token'];
}

$http = new Client();
$configuration = (new Configuration())
    ->setHost(env('BASE_URL'))
    ->setAccessToken(token($http, 'transfer:read_deposit_address'));
$transfer = new TransferApi($http, $configuration);

$networks = [CryptoNetwork::SOLANA, CryptoNetwork::BASE];

$cursor = null;
do {
    try {
        $page = $transfer->listDepositAddresses(networks: $networks, limit: 1000, page_cursor: $cursor);
    } catch (ApiException $e) {
        fwrite(STDERR, "status {$e->getCode()}\n");
        exit(1);
    }
    foreach ($page->getItems() as $it) {
        echo implode(' ', [$it->getId(), $it->getCryptoNetwork(), $it->getAddress()]), "\n";
    }
    $cursor = $page->getNextPageCursor();
} while ($cursor);
