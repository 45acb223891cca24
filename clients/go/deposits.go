// Prints all deposit addresses on two networks, page by page.
package main

import (
	"context"
	"fmt"
	"log"
	"os"

	"golang.org/x/oauth2/clientcredentials"

	"walk/digitalassets"
)

func main() {
	ctx := context.Background()
	credentials := clientcredentials.Config{
		ClientID:     os.Getenv("DIGITAL_ASSETS_CLIENT_ID"),
		ClientSecret: os.Getenv("DIGITAL_ASSETS_CLIENT_SECRET"),
		TokenURL:     os.Getenv("DIGITAL_ASSETS_AUTH_URL"),
		Scopes:       []string{"transfer:read_deposit_address"},
	}
	configuration := digitalassets.NewConfiguration()
	configuration.Servers = digitalassets.ServerConfigurations{{URL: os.Getenv("DIGITAL_ASSETS_BASE_URL")}}
	// Fetches a token, and a new one before the token expires.
	configuration.HTTPClient = credentials.Client(ctx)
	client := digitalassets.NewAPIClient(configuration)

	networks := []digitalassets.CryptoNetwork{digitalassets.CRYPTONETWORK_SOLANA, digitalassets.CRYPTONETWORK_BASE}
	cursor := ""
	for {
		request := client.TransferAPI.ListDepositAddresses(ctx).Networks(networks).Limit(1000)
		if cursor != "" {
			request = request.PageCursor(cursor)
		}
		page, response, err := request.Execute()
		if err != nil {
			if response != nil {
				log.Fatalf("status %d: %v", response.StatusCode, err)
			}
			log.Fatal(err)
		}
		for _, it := range page.Items {
			fmt.Println(it.Id, it.CryptoNetwork, it.Address)
		}
		if cursor = page.GetNextPageCursor(); cursor == "" {
			return
		}
	}
}
