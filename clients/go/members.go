// Adds a member to an institution.
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
		Scopes:       []string{"identity:write_identity"},
	}
	configuration := digitalassets.NewConfiguration()
	configuration.Servers = digitalassets.ServerConfigurations{{URL: os.Getenv("DIGITAL_ASSETS_BASE_URL")}}
	// Fetches a token, and a new one before the token expires.
	configuration.HTTPClient = credentials.Client(ctx)
	client := digitalassets.NewAPIClient(configuration)

	member := digitalassets.NewInstitutionMemberToAdd(os.Getenv("DIGITAL_ASSETS_IDENTITY_ID"))
	member.SetRoles([]string{"ROLE_NAME"})
	members := []digitalassets.InstitutionMemberToAdd{*member}
	body := digitalassets.NewAddInstitutionMembersRequest(os.Getenv("DIGITAL_ASSETS_INSTITUTION_ID"), members)
	added, response, err := client.IdentityAPI.AddInstitutionMembers(ctx).AddInstitutionMembersRequest(*body).Execute()
	if err != nil {
		// After a timeout or a 5xx, the members may have been added. Check whether they were before you retry.
		if response != nil {
			log.Fatalf("status %d: %v", response.StatusCode, err)
		}
		log.Fatal(err)
	}
	for _, it := range added.Members {
		fmt.Println(it.Id, it.IdentityId)
	}
}
