// Prints all monitored addresses on one network, page by page.
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
		Scopes:       []string{"rewards:read_monitoring_address"},
	}
	configuration := digitalassets.NewConfiguration()
	configuration.Servers = digitalassets.ServerConfigurations{{URL: os.Getenv("DIGITAL_ASSETS_BASE_URL")}}
	// Fetches a token, and a new one before the token expires.
	configuration.HTTPClient = credentials.Client(ctx)
	client := digitalassets.NewAPIClient(configuration)

	cursor := ""
	for {
		request := client.RewardsAPI.ListMonitoringAddresses(ctx).
			CryptoNetwork(digitalassets.CRYPTONETWORK_ETHEREUM).Limit(1000)
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
		for _, it := range page.Addresses {
			fmt.Println(it.Id, it.CryptoNetwork, it.Address)
		}
		if cursor = page.GetNextPageCursor(); cursor == "" {
			return
		}
	}
}
