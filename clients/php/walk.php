<?php

// Prints all settled quote executions of a profile, page by page.

require getenv('AUTOLOAD') ?: 'client/vendor/autoload.php';

use DigitalAssets\Api\ExchangeApi;
use DigitalAssets\ApiException;
use DigitalAssets\Configuration;
use DigitalAssets\Model\QuoteExecutionStatus;
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
    ->setAccessToken(token($http, 'exchange:read_quote_execution'));
$exchange = new ExchangeApi($http, $configuration);

$cursor = null;
do {
    try {
        $page = $exchange->listQuoteExecutions(
            env('PROFILE_ID'),
            status: QuoteExecutionStatus::SETTLED,
            // The limit must not be sent together with a cursor.
            limit: $cursor ? null : 100,
            page_cursor: $cursor,
        );
    } catch (ApiException $e) {
        fwrite(STDERR, "status {$e->getCode()}\n");
        exit(1);
    }
    foreach ($page->getItems() as $it) {
        // Amounts are strings. The bc functions read them exactly, but floats don't.
        echo implode(' ', [$it->getId(), $it->getMarket(), $it->getPrice(), $it->getBaseAmount(), $it->getQuoteAmount()]), "\n";
    }
    $cursor = $page->getNextPageCursor();
} while ($cursor);
