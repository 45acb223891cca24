<?php

// What composer writes into vendor/autoload.php, with Debian's Guzzle.

require_once '/usr/share/php/GuzzleHttp/autoload.php';

spl_autoload_register(function (string $class): void {
    $file = 'client/lib/' . str_replace('\\', '/', substr($class, strlen('DigitalAssets\\'))) . '.php';
    if (str_starts_with($class, 'DigitalAssets\\') && is_file($file)) {
        require $file;
    }
});
